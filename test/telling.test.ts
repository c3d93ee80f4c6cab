import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startMemoryServer, type MemoryServer } from "../server/memory/fixtures/start-memory-server.ts";
import type { Overview } from "../server/night/overview.ts";
import type { EventView, RunView } from "../server/night/views.ts";
import type { CommandView } from "../server/night/schemas.ts";
import { eventually } from "./eventually.ts";
import { FINISH, Night } from "./faults/night.ts";

// What a supervisor tells the server of its run, and what it is asked through it.

let night: Night;
let server: MemoryServer;
beforeEach(async () => {
  night = new Night();
  server = await startMemoryServer();
  night.config = { server: { url: server.url } };
  night.env["MEMORY_API_KEY_FILE"] = server.keyFile;
  night.env["NIGHTSHIFT_HOST"] = "build-1";
});
afterEach(async () => {
  await night.dispose();
  await server.stop();
});

const admin = () => readFileSync(join(server.settings.home, "admin-token"), "utf8").trim();
const read = async <T>(path: string): Promise<T> =>
  JSON.parse((await server.ask("GET", path, { as: admin() })).text) as T;
type Detail = { run: RunView; events: EventView[]; commands: CommandView[] };
const detailOf = async (worker: string): Promise<Detail> => {
  const { runs } = await read<Overview>("/api/night");
  const id = runs.find((run) => run.worker === worker)?.id ?? "none-of-them";
  return read<Detail>(`/api/night/runs/${id}`);
};
const askWorker = async (worker: string, body: object) => {
  const { run } = await detailOf(worker);
  return server.ask("POST", `/api/night/runs/${run.id}/commands`, { as: admin(), body });
};

test("a run is told from its first session to its verdict, with its commits, gates and handoff", async () => {
  const state = await night.run(
    await night.plan({ name: "docs", health: "exit 0", parts: [{ steps: FINISH }] }),
  );
  expect(state.status).toBe("complete");
  const { run, events } = await detailOf("docs");
  expect(run).toMatchObject({
    host: "build-1",
    report: { status: "complete", session: 1 },
    sessions: [{ number: 1, endReason: "done", commits: 1 }],
    commits: 1,
    insertions: 1,
    gate: { when: "after", verdict: "healthy" },
    handoffs: 1,
  });
  const kinds = events.map(({ kind }) => kind);
  for (const kind of ["session-begin", "gates", "session-end", "handoff", "commits", "decision", "end"])
    expect(kinds).toContain(kind);
  const commits = events.find(({ kind }) => kind === "commits");
  const { text } = await read<{ text: string }>(`/api/night/runs/${run.id}/events/${commits?.number}/text`);
  expect(text).toContain("+line");
  const { lines } = await read<{ lines: string[] }>(`/api/night/runs/${run.id}/log`);
  expect(lines.join("\n")).toContain("session 1 begins (1 of 10)");
});

test("what the memory gave is shown with what became of it", async () => {
  night.config = { ...night.config, memory: { url: server.url } };
  const learning = {
    trigger: "the docs worker in night",
    learning: "append lines, never rewrite",
    confidence: 1,
  };
  await server.ask("POST", "/learn", { body: learning });
  // A session waits 2 s for its memory; the first answer of a server takes longest.
  await server.ask("POST", "/inject", { body: { context: "warm up" } });
  const plan = await night.plan({ name: "docs", health: "exit 0", parts: [{ steps: FINISH }] });
  await night.run({ ...plan, task: "the docs worker in night: append a line" });
  const { events } = await detailOf("docs");
  expect(events.find(({ kind }) => kind === "memory")).toMatchObject({ session: 1, data: { count: 1 } });
  expect(events.find(({ kind }) => kind === "memory-outcome")).toMatchObject({
    session: 1,
    data: { outcome: "pass", credited: 1 },
  });
});

test("what happened while the server was away is told by the next supervisor, in order and once", async () => {
  const { port } = new URL(server.url);
  await server.stop();
  const request = await night.plan({
    name: "docs",
    health: "exit 0",
    max: 1,
    parts: [{ steps: FINISH }, { steps: FINISH }],
  });
  expect((await night.run(request)).status).toBe("complete");
  const spool = join(night.home, "docs/telling");
  expect(readdirSync(spool)).toHaveLength(1);
  server = await startMemoryServer();
  expect(port).not.toBe("");
  night.config = { ...night.config, server: { url: server.url } };
  night.env["MEMORY_API_KEY_FILE"] = server.keyFile;
  const again = {
    ...(await night.plan({ name: "docs", health: "exit 0", parts: [{ steps: FINISH }, { steps: FINISH }] })),
    mode: "resume" as const,
  };
  expect((await night.run(again)).status).toBe("complete");
  const { run, events } = await detailOf("docs");
  expect(run.sessions.map(({ number }) => number)).toEqual([1, 2]);
  expect(events.filter(({ kind }) => kind === "session-begin").map(({ session }) => session)).toEqual([1, 2]);
  expect(readdirSync(spool)).toEqual([]);
});

test(
  "a worker is adjusted, given a note and stopped through the server, and says so",
  { tags: ["long"] },
  async () => {
    const steps = [
      { do: "run", command: "sleep 1" },
      { do: "say", text: "HANDOFF: more to do" },
    ] as const;
    await night.start(
      await night.plan({
        name: "docs",
        health: "exit 0",
        max: 5,
        limits: { stalledSessions: 50 },
        parts: [{ steps: [...steps] }, { steps: [{ do: "hang" }], note: "HANDOFF: stopped" }],
      }),
    );
    await eventually(async () => (await detailOf("docs")).run?.report.status).toBe("running");
    expect((await askWorker("docs", { action: "adjust", max: 7, budgetUsd: 3 })).status).toBe(201);
    expect((await askWorker("docs", { action: "note", text: "mind the anchors" })).status).toBe(201);
    await eventually(async () => (await detailOf("docs")).commands.map(({ state }) => state)).toEqual([
      "done",
      "done",
    ]);
    await eventually(async () => (await detailOf("docs")).run.report.max).toBe(7);
    await eventually(async () => night.log("docs")).toContain("session 2 begins (2 of 7)");
    await eventually(async () =>
      night
        .events("docs")
        .some(({ type, prompt }) => type === "prompt" && String(prompt).includes("mind the anchors")),
    ).toBe(true);
    expect((await askWorker("docs", { action: "stop-now" })).status).toBe(201);
    await eventually(async () => (await detailOf("docs")).run.report.status).toBe("stopped");
    await eventually(async () => (await detailOf("docs")).commands[0]).toMatchObject({
      action: "stop-now",
      state: "done",
      detail: "it is stopped",
    });
  },
);
