// @module-tag long

import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findTestedProgram, type RealAgent, setUpRealAgent, type TestedAgent } from "../real-agents.ts";
import { type ScriptedModel, startScriptedModel } from "../scripted-model/server.ts";
import { WorkerLab } from "./worker-lab.ts";

// The demo's story with every real agent that is installed, judged by what the model was sent.

const LEARNING = "When fixed.txt is missing, create it with echo";

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

const startMemory = async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ prompt: LEARNING, learnings: [{}], receipt: "r" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    asked,
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
};

const commit = (file: string) => `echo x > ${file} && git add -A && git commit -qm 'Add ${file}'`;

const AGENTS: TestedAgent[] = [
  "claude",
  "claude-newest",
  "claude-acp",
  "codex",
  "codex-oldest",
  "codex-exec",
  "opencode",
  "opencode-oldest",
  "opencode-acp",
  "pi",
  "pi-newest",
  "gemini",
  "gemini-oldest",
  "gemini-acp",
  "shelley",
];
/** These tell no live figure of their context (docs/agents.md), so they are not stopped for it amid a turn. */
const UNTOLD: readonly TestedAgent[] = ["opencode-acp", "gemini-acp"];

/** What these cost is told by nobody, or at the end of a turn. */
const UNPRICED: readonly TestedAgent[] = ["claude-acp", "opencode-acp", "gemini-acp"];

const FOUND = AGENTS.map((id) => ({ id, isInstalled: findTestedProgram(id) !== undefined }));

describe.each(FOUND)("a worker with $id (installed: $isInstalled)", ({ id, isInstalled }) => {
  const isTold = !UNTOLD.includes(id);
  test.skipIf(!isInstalled)(
    `hands over ${isTold ? "at 75 %" : "when its turn ends"}, is refused a false DONE, and ends complete`,
    async () => {
      const note = "HANDOFF: begun; next is fixed.txt";
      const memory = await startMemory();
      model = await startScriptedModel({
        sessions: [
          {
            turns: [
              { run: commit("begun.txt"), contextTokens: 40_000, thinkMs: 150 },
              { run: commit("more.txt"), contextTokens: 152_000, thinkMs: 150 },
              isTold
                ? { run: commit("never.txt"), contextTokens: 160_000, thinkMs: 1_500 }
                : { text: note, contextTokens: 152_000 },
            ],
            answers: [
              {
                contains: "Write the handoff",
                turns: [{ text: note, contextTokens: 153_000 }],
              },
            ],
          },
          { turns: [{ text: "DONE: surely", contextTokens: 20_000 }] },
          {
            turns: [
              { run: commit("fixed.txt"), contextTokens: 25_000, thinkMs: 150 },
              { text: "It is there.\n\nDONE: fixed.txt added", contextTokens: 30_000 },
            ],
          },
        ],
      });
      agent = await setUpRealAgent(id, { modelUrl: model.url, windowTokens: 200_000 });
      lab.env = { ...agent.env, WORKERS_HOME: lab.workers, GIT_CONFIG_GLOBAL: "/dev/null" };
      lab.gateOn("fixed.txt");
      lab.put(
        "agent.config.json",
        JSON.stringify({ agents: { [id]: agent.settings }, memory: { url: memory.url } }),
      );
      lab.commit(lab.repository, "Configure");

      const task = `Add fixed.txt "exactly"\nand keep \\ and 🌙`;
      const started = await lab.worker("start", "real", "--agent", id, "--task", task);
      expect(started).toMatchObject({ code: 0 });
      const state = await lab.ended("real", 800_000);
      await memory.close();

      expect(state).toMatchObject({ status: "complete", session: 3, isScripted: false });
      expect(state.sessions.map((record) => record.endReason)).toEqual([
        id === "gemini-acp" ? "handoff" : "context",
        "done",
        "done",
      ]);
      if (isTold) expect(state.sessions[0]).toMatchObject({ windowTokens: 200_000 });
      // Over ACP, Claude Code calls off the call that it asked leave for when the stop came (docs/agents.md).
      const made = id === "claude-acp" ? ["begun.txt"] : ["more.txt", "begun.txt"];
      expect(
        lab
          .git(lab.repository, "log", "--format=%s")
          .split("\n")
          .slice(0, made.length + 1),
      ).toEqual(["fixed.txt", ...made].map((file) => `Add ${file}`));
      expect(memory.asked.filter((path) => path === "/inject")).toHaveLength(3);

      const openings = [
        ...new Set(model.requests.flatMap(({ request, turn }) => (request && turn ? [request.opening] : []))),
      ];
      const prompts = openings.filter((opening) => opening.includes("WORKER MODE:"));
      for (const prompt of prompts) {
        expect(prompt).toContain(`WORKER MODE: ${task}`);
        expect(prompt).toContain("error: fixed.txt is missing");
        expect(prompt).toContain(LEARNING);
      }
      expect(prompts.some((prompt) => prompt.includes("begun; next is fixed.txt"))).toBe(true);
      expect(
        prompts.some((prompt) => /said DONE, but it was refused[^]*the gates are red/.test(prompt)),
      ).toBe(true);
      expect(lab.leftovers("real")).toEqual([]);
    },
  );

  test.skipIf(!isInstalled || UNPRICED.includes(id))(
    "is stopped at the next boundary when its money is used up, with at most one call over it",
    async () => {
      model = await startScriptedModel({
        sessions: [
          {
            turns: Array.from({ length: 9 }, (_, nth) => ({
              run: commit(`step-${nth}.txt`),
              contextTokens: 40_000 + nth * 1_000,
              thinkMs: 1_500,
            })),
          },
        ],
      });
      agent = await setUpRealAgent(id, { modelUrl: model.url, windowTokens: 200_000 });
      lab.env = { ...agent.env, WORKERS_HOME: lab.workers, GIT_CONFIG_GLOBAL: "/dev/null" };
      const workers = { real: { limits: { costUsd: 0.01 } } };
      lab.put("agent.config.json", JSON.stringify({ agents: { [id]: agent.settings }, workers }));
      lab.commit(lab.repository, "Configure");
      const started = await lab.worker("start", "real", "--agent", id, "--task", "Take nine steps");
      expect(started).toMatchObject({ code: 0 });
      const state = await lab.ended("real", 800_000);

      expect(state.stopReason).toMatch(/^cost limit: 0\.\d\d of 0\.01 USD used$/);
      expect(state.sessions.map(({ endReason }) => endReason)).toEqual(["cost"]);
      expect(model.turns().length).toBeLessThanOrEqual(2);
      expect(lab.leftovers("real")).toEqual([]);
    },
  );
});
