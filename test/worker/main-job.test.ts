import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { say, WorkerLab } from "./worker-lab.ts";

let lab: WorkerLab;
beforeEach(() => {
  lab = new WorkerLab();
});
afterEach(() => lab.dispose());

const usage = (contextTokens: number, windowTokens = 200_000): ScriptedStep => ({
  do: "usage",
  contextTokens,
  windowTokens,
});
const commit = (file: string): ScriptedStep => ({
  do: "run",
  command: `echo x > ${file} && git add -A && git commit -qm 'Add ${file}'`,
});

test("goes through a full context, a handoff, a refused DONE and a fix to complete", async () => {
  lab.gateOn("fixed.txt");
  lab.play({
    parts: [
      {
        steps: [usage(40_000), commit("begun.txt"), usage(151_000), say("not reached")],
        note: "HANDOFF: begun; fixed.txt is next",
      },
      { steps: [usage(20_000), say("DONE: surely")] },
      { steps: [commit("fixed.txt"), usage(30_000), say("Good.\n\nDONE: fixed.txt is there")] },
    ],
  });
  await lab.start("docs");
  const state = await lab.ended("docs");
  expect(state).toMatchObject({
    status: "complete",
    session: 3,
    isScripted: true,
    stopReason: "DONE, and the gates are healthy",
  });
  expect(state.sessions.map((record) => record.endReason)).toEqual(["context", "done", "done"]);
  expect(state.sessions.map((record) => record.gateAfter?.verdict)).toEqual([
    undefined,
    "blocked",
    "healthy",
  ]);
  expect(state.sessions.map((record) => record.commits.length)).toEqual([1, 0, 1]);

  const schema = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../docs/worker-state.schema.json"), "utf8"),
  ) as object;
  const isValid = new Ajv2020({ strict: false }).compile(schema);
  expect([isValid(state), isValid.errors]).toEqual([true, null]);

  const [first = "", second = "", third = ""] = lab.prompts("docs");
  expect(first.startsWith("WORKER MODE: the task\n")).toBe(true);
  expect(first).toContain("error: fixed.txt is missing");
  expect(second).toContain("HANDOFF from session 1");
  expect(second).toContain("begun; fixed.txt is next");
  expect(third).toMatch(/said DONE, but it was refused[^]*the gates are red: gates\/health\.sh\n/);
  expect(lab.leftovers("docs")).toEqual([]);
  expect(readdirSync(join(lab.workers, "docs/handoffs"))).toEqual(["001.md", "002.md", "003.md"]);
  expect(existsSync(join(lab.repository, ".git/nightshift/worker.lock"))).toBe(false);
});

test("stops at 75 % of whatever window the agent reports, and not before", async () => {
  lab.play({
    parts: [
      {
        steps: [
          usage(740_000, 1_000_000),
          say("74 % of a million is fine"),
          usage(750_000, 1_000_000),
          say("not reached"),
        ],
        note: "HANDOFF: a",
      },
      {
        steps: [usage(149_999), say("74.9 % is fine"), usage(150_000), say("not reached")],
        note: "HANDOFF: b",
      },
      { steps: [say("DONE: c")] },
    ],
  });
  await lab.start("docs");
  const state = await lab.ended("docs");
  expect(state.sessions.map((record) => [record.endReason, record.contextTokens])).toEqual([
    ["context", 750_000],
    ["context", 150_000],
    ["done", undefined],
  ]);
  const said = lab
    .events("docs")
    .filter((event) => event.type === "text")
    .map((event) => event["text"]);
  expect(said).toEqual(["74 % of a million is fine", "74.9 % is fine", "DONE: c"]);
});

test.each([
  ["a DONE inside a sentence", "I will say DONE: once the gate is green.", "max-reached"],
  ["a DONE quoted from the instructions", "They said:\n> DONE: followed by what was finished", "max-reached"],
  ["a DONE with green gates in the last allowed session", "DONE: all of it", "complete"],
])("ends %s honestly", async (_, text, status) => {
  lab.gateOn("README");
  lab.play(
    { parts: [{ steps: [commit("x.txt"), say(text)], note: null }] },
    { workers: { docs: { limits: { handoffMinutes: 0.005 } } } },
  );
  await lab.start("docs", "--max", "1");
  expect((await lab.ended("docs")).status).toBe(status);
});

test(
  "calls DONE without any gate unverified, and DONE over uncommitted work unfinished",
  { tags: ["long"] },
  async () => {
    lab.play({
      parts: [
        { steps: [{ do: "write", file: "left.txt", text: "x" }, say("DONE: almost")] },
        { steps: [commit("left.txt"), say("DONE: now")] },
      ],
    });
    await lab.start("docs");
    const state = await lab.ended("docs");
    expect(state).toMatchObject({ status: "unverified", session: 2 });
    expect(lab.prompts("docs")[1]).toContain("left this uncommitted, so the work is not done: left.txt");
    expect(state.sessions[1]?.rescueRef).toBe("refs/nightshift/rescue/docs/2");
    expect(lab.git(lab.repository, "show", "refs/nightshift/rescue/docs/2:left.txt")).toBe("x");
  },
);

test("carries any task text to the agent and into the state unchanged", async () => {
  const task = `line one\nline "two" with 'quotes' and \\backslashes\\ and $HOME \`x\` %s\n\té 🌙 \u0007 end ${"0123456789".repeat(10_000)}`;
  lab.play({ parts: [{ steps: [say("DONE: read")] }] });
  const file = lab.put("../task.txt", task);
  const { code } = await lab.worker(
    "start",
    "docs",
    "--agent",
    "scripted",
    "--task",
    readFileSync(file, "utf8"),
  );
  expect(code).toBe(0);
  const state = await lab.ended("docs");
  expect(state.task).toBe(task);
  expect(lab.prompts("docs")[0]?.startsWith(`WORKER MODE: ${task}\n`)).toBe(true);
});

test("asks memory once per session, tells how it went, and goes on when it is not there", async () => {
  const { createServer } = await import("node:http");
  const asked: { url: string; auth: string | undefined; body: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    request.on("end", () => {
      asked.push({
        url: request.url ?? "",
        auth: request.headers.authorization,
        // A session asks for a key of its own, with nothing to say.
        body: JSON.parse(body || "{}") as Record<string, unknown>,
      });
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          prompt: "When fixing, look at fixed.txt",
          learnings: [{}],
          receipt: `r${asked.length}`,
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
  try {
    lab.gateOn("fixed.txt");
    lab.env["MEMORY_API_KEY_FILE"] = lab.put("../key", "secret-key\n");
    lab.play(
      { parts: [{ steps: [say("DONE: no")] }, { steps: [commit("fixed.txt"), say("DONE: yes")] }] },
      { memory: { url } },
    );
    await lab.start("docs");
    expect((await lab.ended("docs")).status).toBe("complete");
    const injects = asked.filter((request) => request.url === "/inject");
    expect(injects).toHaveLength(2);
    expect(injects[0]?.body).toMatchObject({
      format: "prompt",
      context: `Project: ${lab.repository}. Task: the task`,
    });
    expect(lab.prompts("docs").every((prompt) => prompt.includes("When fixing, look at fixed.txt"))).toBe(
      true,
    );
    const outcomes = asked.filter((request) => request.url === "/outcome");
    expect(outcomes.map(({ auth, body }) => [auth, body["outcome"]])).toEqual([
      ["Bearer secret-key", "fail"],
      ["Bearer secret-key", "pass"],
    ]);
    expect(asked.find((request) => request.url === "/learn")?.body).toMatchObject({
      type: "failure",
      source: "worker docs, session 1",
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
  await lab.start("away");
  const away = await lab.ended("away");
  expect(away.status).toBe("complete");
  expect(readFileSync(join(lab.workers, "away.log"), "utf8")).toContain(
    `unavailable; continuing without it (${url}`,
  );
});
