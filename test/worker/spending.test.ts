import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findMarked, signalProcess } from "../../core/process-tree.ts";
import { isAlive } from "../../core/process-identity.ts";
import { findAgentCli } from "../agent-clis.ts";
import { type RealAgent, setUpRealAgent } from "../real-agents.ts";
import type { ModelTurn } from "../scripted-model/script.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model/server.ts";
import { waitFor } from "../wait-for.ts";
import { WorkerLab } from "./worker-lab.ts";

// What Claude Code tells only at its end (cost) or between the lines (streamed text), at a worker.

let lab: WorkerLab;
let agent: RealAgent | undefined;
let model: ScriptedModel | undefined;

beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(async () => {
  await lab.dispose();
  await model?.close();
  agent?.dispose();
});

/** A worker with Claude Code at work, behind the model's turns. */
const start = async (turns: ModelTurn[], limits: Record<string, number> = {}): Promise<void> => {
  model = await startScriptedModel({ sessions: [{ turns }] });
  agent = await setUpRealAgent("claude", { modelUrl: model.url, windowTokens: 200_000 });
  lab.env = { ...agent.env, WORKERS_HOME: lab.workers, GIT_CONFIG_GLOBAL: "/dev/null" };
  // No model of the user's: what the agent reports is all there is.
  const { model: _, ...settings } = agent.settings;
  lab.put(
    "agent.config.json",
    JSON.stringify({ agents: { claude: settings }, workers: { w: { task: "x", agent: "claude", limits } } }),
  );
  lab.commit(lab.repository, "Configure");
  expect(await lab.worker("start", "w", "--max", "1")).toMatchObject({ code: 0 });
};

const HANGS: ModelTurn[] = [
  { run: "echo one", contextTokens: 31_000 },
  { run: "sleep 1000", contextTokens: 32_000 },
];

/** Waits until the agent's second call of the model was reported. */
const untilSpent = () =>
  waitFor("the spending to be in the state", () => {
    const record = lab.state("w")?.sessions[0];
    return record?.contextTokens === 32_000 && (record.costUsd ?? 0) > 0;
  });

describe.skipIf(findAgentCli("claude") === undefined)("a worker with Claude Code", () => {
  test("that is stopped at once has its cost and tokens in the record, and the model that the agent named", async () => {
    await start(HANGS);
    await untilSpent();
    expect(await lab.worker("stop", "w", "--now")).toMatchObject({ code: 0 });
    const state = await lab.ended("w");
    expect(state).toMatchObject({
      status: "stopped",
      costUsd: expect.any(Number),
      tokens: expect.any(Number),
    });
    expect(state.costUsd).toBeGreaterThan(0);
    expect(state.tokens).toBeGreaterThan(60_000);
    expect(state.model).toBeUndefined(); // nobody asked for one
    expect(state.sessions[0]?.model).toMatch(/^claude-/);
  });

  test("that crashes, agent and supervisor, has its cost in the record, and the next limit counts it", async () => {
    await start(HANGS);
    await untilSpent();
    const before = lab.state("w");
    if (before) signalProcess(before.supervisor, "SIGKILL");
    await waitFor("the crash", () => before !== undefined && !isAlive(before.supervisor));
    expect(lab.state("w")).toMatchObject({ status: "crashed", costUsd: before?.costUsd });
    lab.put(
      "agent.config.json",
      JSON.stringify({
        agents: { claude: agent?.settings },
        workers: { w: { task: "x", agent: "claude", limits: { costUsd: (before?.costUsd ?? 0) / 2 } } },
      }),
    );
    const resumed = await lab.worker("resume", "w");
    expect(resumed).toMatchObject({
      code: expect.any(Number),
      err: expect.stringMatching(/has used up its budget/),
    });
    expect(resumed.code).not.toBe(0);
  });

  test("that does not heed a gentle stop within its time has its cost in the record", async () => {
    await start(HANGS, { handoffMinutes: 0.02 });
    await untilSpent();
    const mark = lab.state("w")?.sessions[0]?.mark ?? "";
    for (const process of findMarked(mark)) signalProcess(process, "SIGSTOP");
    expect(await lab.worker("stop", "w")).toMatchObject({ code: 0 });
    const state = await lab.ended("w");
    expect(state.sessions[0]).toMatchObject({ endReason: "stopped" });
    expect(state.costUsd).toBeGreaterThan(0);
    expect(findMarked(mark)).toEqual([]);
  });

  test("that streams one text for longer than the idle limit is not idle", async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
    await start([{ text: `${words}\n\nDONE: all said`, contextTokens: 5_000, pieceMs: 400 }], {
      idleMinutes: 0.25,
    });
    const state = await lab.ended("w");
    expect(state.sessions[0]).toMatchObject({ endReason: "done" });
    const { startedAt, endedAt } = state.sessions[0] ?? {};
    expect(Date.parse(endedAt ?? "") - Date.parse(startedAt ?? "")).toBeGreaterThan(15_000);
  });
});
