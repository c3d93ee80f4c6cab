// @module-tag long

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findAgentCli } from "../agent-clis.ts";
import { type RealAgent, setUpRealAgent } from "../real-agents.ts";
import { splitUsage } from "../scripted-model/script.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model/server.ts";
import type { CostRow } from "../../worker/ledger/sum-ledger.ts";
import { WorkerLab } from "./worker-lab.ts";

// Claude Code is limited in the middle of its work, and Codex goes on: two vendors, one worker, one bill.

let lab: WorkerLab;
let agents: RealAgent[] = [];
let model: ScriptedModel | undefined;

beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(async () => {
  await lab.dispose();
  await model?.close();
  for (const agent of agents) agent.dispose();
  agents = [];
});

const areInstalled = findAgentCli("claude") !== undefined && findAgentCli("codex") !== undefined;
const commit = "git add -A && git commit -qm step";
/** What a session can do with the other agent's folder is left in the repository, and in that folder. */
const tryFolder = (folder: string, by: string) =>
  `cat $HOME/${folder}/secret > read-by-${by}.txt 2>/dev/null; touch $HOME/${folder}/by-${by} 2>/dev/null; true`;

describe.skipIf(!areInstalled)("a chain of Claude Code and Codex", () => {
  test("goes on with the second where the first is limited, does nothing twice, and bills what the model was asked for", async () => {
    model = await startScriptedModel({
      sessions: [
        {
          turns: [
            {
              text: "I decided to keep one line for each step; a list in JSON failed in the gate.",
              run: `echo one >> steps.txt; ${tryFolder(".codex", "claude")}; ${commit}`,
              contextTokens: 30_000,
            },
            { run: "echo half > begun.txt", contextTokens: 31_000 },
            { fault: { kind: "rate-limit", resetsAtMs: Date.now() + 3_600_000 } },
          ],
        },
        {
          when: "takes over here from Claude Code",
          turns: [
            {
              text: "ACK: branch=main head=0123456789ab dirty=clean\nI go on.",
              run: `echo two >> steps.txt; ${tryFolder(".claude", "codex")}; ${commit}`,
              contextTokens: 12_000,
            },
            { text: "Both are there.\n\nDONE: both steps", contextTokens: 13_000 },
          ],
        },
      ],
    });
    const claude = await setUpRealAgent("claude", { modelUrl: model.url });
    agents = [claude, await setUpRealAgent("codex", { modelUrl: model.url, home: claude.home })];
    const [, codex] = agents;
    lab.env = {
      ...claude.env,
      ...codex?.env,
      WORKERS_HOME: lab.workers,
      GIT_CONFIG_GLOBAL: "/dev/null",
    };
    for (const folder of [".claude", ".codex"]) lab.put(join(claude.home, folder, "secret"), "secret\n");
    lab.put("gates/health.sh", "#!/bin/sh\ngrep -q two steps.txt\n", 0o755);
    lab.put(
      "agent.config.json",
      JSON.stringify({
        agents: { claude: claude.settings, codex: codex?.settings },
        workers: { w: { task: "do both steps", agent: ["claude", "codex"] } },
      }),
    );
    lab.commit(lab.repository, "Configure");
    expect(await lab.worker("start", "w")).toMatchObject({ code: 0 });
    const state = await lab.ended("w", 800_000);

    expect(state.sessions.map(({ agent, endReason }) => [agent, endReason])).toEqual([
      ["claude", "rate-limit"],
      ["codex", "done"],
    ]);
    expect(state).toMatchObject({ status: "complete", agent: "codex", link: 1 });
    expect(state.chain?.[0]?.heldFor).toMatch(/rate limit/);
    expect(lab.read("steps.txt")).toBe("one\ntwo\n");

    expect((await lab.worker("status", "w")).out).toMatch(
      /chain +claude:\S+, held until .*: rate limit: .*\n +codex:\S+ \(its turn\)/,
    );
    const [, handedOver = ""] = lab.prompts("w");
    expect(handedOver).toMatch(/Codex CLI takes over here from Claude Code \(rate limit: /);
    expect(handedOver).toMatch(/session 1: Bash echo one >> steps\.txt/);
    expect(handedOver).toContain("session 1: Bash echo half > begun.txt");
    expect(handedOver).toMatch(/Uncommitted:\s+(?:- )?\S+ begun\.txt/);
    expect(handedOver).toContain(
      "I decided to keep one line for each step; a list in JSON failed in the gate.",
    );
    const head = lab.git(lab.repository, "rev-parse", "--short=12", "HEAD~1").trim();
    expect(handedOver).toMatch(new RegExp(`^ACK: branch=main head=${head} dirty=(?!clean)`, "m"));
    // What the second says of where the work stands is held against git, whoever says it.
    expect(state.sessions[1]).toMatchObject({
      acknowledgement: "contradicted",
      acknowledged: "branch=main head=0123456789ab dirty=clean",
    });

    const { rows } = JSON.parse((await lab.worker("cost", "--by", "agent", "--json")).out) as {
      rows: CostRow[];
    };
    const asked = (contextTokens: number[]) => {
      const calls = contextTokens.map((tokens) => splitUsage({ contextTokens: tokens }));
      const sum = (key: keyof (typeof calls)[number]) => calls.reduce((total, call) => total + call[key], 0);
      return {
        input: sum("input"),
        cacheRead: sum("cacheRead"),
        cacheWrite: sum("cacheWrite"),
        output: sum("output"),
      };
    };
    const own = asked([30_000, 31_000]);
    const its = asked([12_000, 13_000]);
    expect(rows).toMatchObject([
      { key: "claude", sessions: 1, costUnknown: 0, tokens: own },
      // OpenAI's API tells no cache writes: they are input.
      {
        key: "codex",
        sessions: 1,
        costUnknown: 0,
        tokens: { ...its, input: its.input + its.cacheWrite, cacheWrite: 0 },
      },
    ]);

    if (state.sandbox?.kind !== "bubblewrap") return;
    expect(lab.read("read-by-claude.txt")).toBe("");
    expect(lab.read("read-by-codex.txt")).toBe("");
    expect(existsSync(join(claude.home, ".codex/by-claude"))).toBe(false);
    expect(existsSync(join(claude.home, ".claude/by-codex"))).toBe(false);
  });
});
