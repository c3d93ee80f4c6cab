// @module-tag long

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent, DriverSession } from "../agents/driver.ts";
import { findAgentCli } from "./agent-clis.ts";
import { type RealAgent, setUpRealAgent } from "./real-agents.ts";
import type { ModelTurn } from "./scripted-model/script.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model/server.ts";

// What only Claude Code has, or where it once surprised us; what all agents share is in driver-conformance.

const isInstalled = findAgentCli("claude") !== undefined;

let dir = "";
let model: ScriptedModel;
let agent: RealAgent;
let session: DriverSession;

beforeEach(() => {
  // A folder whose name a shell would take apart.
  dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift it's $HOME-")));
});
afterEach(async () => {
  await session.end({ graceMs: 500 });
  await model.close();
  agent.dispose();
  rmSync(dir, { recursive: true, force: true });
});

const run = async (
  turns: ModelTurn[],
  windowTokens: number,
  onEvent: (event: AgentEvent) => unknown,
  prepare: (agent: RealAgent) => void = () => undefined,
  { id = "claude", ...more }: { id?: "claude" | "claude-newest"; budgetUsd?: number } = {},
): Promise<AgentEvent[]> => {
  const answers = [{ contains: NOTE_REQUEST, turns: [{ text: "HANDOFF: noted" }] }];
  model = await startScriptedModel({ sessions: [{ turns, answers }] });
  agent = await setUpRealAgent(id, { modelUrl: model.url, windowTokens });
  prepare(agent);
  session = await agent.driver.start({
    prompt: "WORKER MODE: steps",
    dir,
    settings: agent.settings,
    env: agent.env,
    scratchDir: mkdtempSync(join(dir, "scratch-")),
    ...more,
  });
  const events: AgentEvent[] = [];
  for await (const event of session.events) {
    events.push(event);
    await onEvent(event);
  }
  return events;
};

const NOTE_REQUEST = "Write a closing note.";

const stopAt75 = (event: AgentEvent) =>
  event.type === "usage" && event.contextTokens >= 0.75 * (event.windowTokens ?? Infinity)
    ? session.stopGently()
    : undefined;

const step = (name: string, contextTokens: number): ModelTurn => ({
  run: `echo ${name} >> steps.log`,
  contextTokens,
  thinkMs: 150,
});
/** A step that must not come: a busy machine has time to act on the one before it. */
const never = (name: string, contextTokens: number): ModelTurn => ({
  ...step(name, contextTokens),
  thinkMs: 3_000,
});
const steps = () => readFileSync(join(dir, "steps.log"), "utf8");

describe.skipIf(!isInstalled)(`Claude Code${isInstalled ? "" : " (not installed)"}`, () => {
  test("is stopped at 75 % of a window of a million, not of 200,000", async () => {
    const turns = [
      step("one", 190_000),
      step("two", 700_000),
      step("three", 751_000),
      never("four", 760_000),
    ];
    const events = await run(turns, 1_000_000, stopAt75);
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
    expect(steps()).toBe("one\ntwo\nthree\n");
    expect(events.filter((event) => event.type === "usage").at(-1)).toMatchObject({
      contextTokens: 751_000,
      windowTokens: 1_000_000,
    });
  });

  test("is stopped after a tool call that failed, too", async () => {
    const failing = { run: "echo one >> steps.log; exit 3", contextTokens: 160_000, thinkMs: 300 };
    const events = await run([failing, never("two", 161_000)], 200_000, stopAt75);
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-end", isError: true }));
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
    expect(steps()).toBe("one\n");
  });

  test("is stopped where the user has switched hooks off, too", async () => {
    const turns = [step("one", 160_000), never("two", 161_000)];
    const events = await run(turns, 200_000, stopAt75, ({ home }) => {
      mkdirSync(join(home, ".claude"));
      writeFileSync(join(home, ".claude/settings.json"), JSON.stringify({ disableAllHooks: true }));
    });
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
    expect(steps()).toBe("one\n");
  });

  test("keeps to its budget by itself: it tells its cost only when the turn is over", async () => {
    const turns = [step("one", 40_000), step("two", 50_000), step("three", 60_000), never("four", 70_000)];
    const events = await run(
      turns,
      200_000,
      () => undefined,
      () => undefined,
      { budgetUsd: 0.2 },
    );
    const end = events.at(-1);
    expect(end).toMatchObject({ type: "ended", reason: "limit" });
    expect(end?.type === "ended" && end.totalCostUsd).toBeGreaterThanOrEqual(0.2);
    expect(steps()).not.toContain("three");
    // There is nobody left to ask, which is not waited for.
    expect(await session.askForNote({ prompt: "Write a note.", timeoutMs: 10_000_000 })).toBeUndefined();
  });

  test("its cost is counted while it works, and agrees with what it says itself at the end", async () => {
    const costs: number[] = [];
    const events = await run(
      [step("one", 40_000), step("two", 90_000), { text: "DONE: x", contextTokens: 95_000 }],
      200_000,
      (event) => {
        if (event.type === "usage" && event.totalCostUsd !== undefined) costs.push(event.totalCostUsd);
      },
    );
    const end = events.at(-1);
    const said = end?.type === "ended" ? (end.totalCostUsd ?? 0) : 0;
    expect(said).toBeGreaterThan(0);
    expect((costs.at(-1) ?? 0) / said).toBeCloseTo(1, 2);
    expect(events).toContainEqual({ type: "model", model: "claude-sonnet-4-5" });
  });

  test("ended in the middle of its work, it has cost what it used so far", async () => {
    let spent: number | undefined;
    await run([step("one", 40_000), { text: "more", thinkMs: 60_000 }], 200_000, async (event) => {
      if (event.type !== "tool-end") return;
      await session.end({ graceMs: 0 });
      spent = session.spent().totalCostUsd;
    });
    expect(spent).toBeGreaterThan(0);
  });

  // Only root is refused.
  if (process.getuid?.() === 0)
    test("as root, says what to set instead of only refusing", async () => {
      const events = await run(
        [{ text: "DONE: x" }],
        200_000,
        () => undefined,
        ({ env }) => {
          delete env["IS_SANDBOX"];
        },
      );
      expect(events.at(-1)).toMatchObject({
        type: "ended",
        reason: "error",
        exitCode: 1,
        message: expect.stringMatching(/root.*set agents\.claude\.env\.IS_SANDBOX/),
      });
    });

  test("cuts the running tool call short where it is told that it may", async () => {
    const long = { run: "echo begun >> steps.log; sleep 60; echo never >> steps.log" };
    const events = await run([long], 200_000, async (event) => {
      if (event.type === "tool-start") await session.stopGently({ mayCutTool: true });
    });
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "interrupted" });
  });
});

const VERSIONS = (["claude", "claude-newest"] as const).map((id) => ({
  id,
  isThere: findAgentCli(id) !== undefined,
}));

describe.each(VERSIONS)("$id (installed: $isThere)", ({ id, isThere }) => {
  test.skipIf(!isThere)("ends its turn at a limit that it would wait out by itself for hours", async () => {
    const resetsAtMs = (Math.floor(Date.now() / 1000) + 3600) * 1000;
    const events = await run(
      [{ fault: { kind: "rate-limit", resetsAtMs } }],
      200_000,
      () => undefined,
      ({ env }) => {
        delete env["ANTHROPIC_API_KEY"];
        delete env["CLAUDE_CODE_MAX_RETRIES"];
        Object.assign(env, { CLAUDE_CODE_OAUTH_TOKEN: "dummy", CLAUDE_CODE_RETRY_WATCHDOG: "1" });
      },
      { id },
    );
    expect(events.at(-1)).toMatchObject({ type: "ended", reason: "rate-limit" });
    const told = events.find((event) => event.type === "rate-limit")?.resetsAtMs ?? 0;
    expect(Math.abs(told - resetsAtMs)).toBeLessThan(5_000);
    expect(model.turns()).toHaveLength(1);
  });

  test.skipIf(!isThere)(
    "runs nothing beside its turn, so that nothing begins after it by itself",
    async () => {
      const task = {
        run: "while ! [ -e go ]; do sleep 0.1; done; echo ended >> steps.log",
        isInBackground: true,
        contextTokens: 20_000,
      };
      const events = await run(
        [task, { text: "DONE: x" }, { text: "never said" }],
        200_000,
        (event) => {
          if (event.type === "tool-start") writeFileSync(join(dir, "go"), "");
        },
        undefined,
        { id },
      );
      expect(events.at(-1)).toMatchObject({ reason: "completed", lastText: "DONE: x" });
      expect(steps()).toBe("ended\n");
      const offered = model.turns().flatMap(({ request }) => request?.tools ?? []);
      expect(offered.filter(({ schema }) => JSON.stringify(schema).includes("run_in_background"))).toEqual(
        [],
      );
      expect(await session.askForNote({ prompt: NOTE_REQUEST, timeoutMs: 60_000 })).toBe("HANDOFF: noted");
      expect(model.turns()).toHaveLength(3);
    },
  );
});
