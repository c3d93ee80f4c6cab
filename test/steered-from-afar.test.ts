// @module-tag long

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { connectMcp } from "../server/mcp/fixtures/clients.ts";
import { type MemoryServer, startMemoryServer } from "../server/memory/fixtures/start-memory-server.ts";
import type { Overview } from "../server/night/overview.ts";
import type { CommandView } from "../server/night/schemas.ts";
import type { EventView, RunView } from "../server/night/views.ts";
import { carryOut } from "../worker/steerer/carry-out.ts";
import { openSteerLog } from "../worker/steerer/steer-log.ts";
import { steerSettings } from "../worker/steerer/steer-settings.ts";
import { eventually } from "./eventually.ts";
import { FINISH, Night } from "./faults/night.ts";

// What a steerer does for workers that have ended when people ask through the server, or agents through its `/mcp`.

let night: Night;
let server: MemoryServer;
let client: Awaited<ReturnType<typeof connectMcp>> | undefined;
let steerer: ReturnType<typeof carryOut> | undefined;
beforeEach(async () => {
  night = new Night();
  server = await startMemoryServer();
  night.config = { server: { url: server.url } };
  night.env["MEMORY_API_KEY_FILE"] = server.keyFile;
  night.env["NIGHTSHIFT_HOST"] = "build-1";
});
afterEach(async () => {
  await client?.close();
  await steerer?.close();
  client = steerer = undefined;
  await night.dispose();
  await server.stop();
});

/** The config that a resume reads, and a steerer of this host. */
const startSteerer = () => {
  night.write("agent.config.json", JSON.stringify(night.config));
  const settings = steerSettings({ dirs: [night.root] }, night.loaded(), { env: night.env, cwd: night.root });
  const log = openSteerLog({ home: night.home, now: Date.now, onEvent: () => {} }, { isDryRun: false });
  steerer = carryOut({ clock: systemClock, env: night.env, fetch, home: night.home, log }, settings);
};

const admin = () => readFileSync(join(server.settings.home, "admin-token"), "utf8").trim();
const read = async <T>(path: string): Promise<T> =>
  JSON.parse((await server.ask("GET", path, { as: admin() })).text) as T;
type Detail = { run: RunView; events: EventView[]; commands: CommandView[] };
const detail = async (): Promise<Detail> => {
  const { runs } = await read<Overview>("/api/night");
  return read<Detail>(`/api/night/runs/${runs[0]?.id}`);
};
const ask = async (body: object) => {
  const { run } = await detail();
  expect(await server.ask("POST", `/api/night/runs/${run.id}/commands`, { as: admin(), body })).toMatchObject(
    { status: 201 },
  );
};
const answer = () => eventually(async () => (await detail()).commands[0]);

/** A worker whose change of the tests' settings no rule can decide. */
const leaveUndecided = async (next: Parameters<Night["plan"]>[0]["parts"] = []) => {
  night.repository("docs", "exit 0");
  night.write("docs/vitest.config.ts", "export default {};\n");
  night.git("docs", "add", "-A");
  night.git("docs", "commit", "-qm", "settings");
  const steps = [
    { do: "run", command: "echo '// more' >> vitest.config.ts && git commit -qam more" },
    { do: "say", text: "DONE: it" },
  ] as const;
  const parts = [{ steps: [...steps] }, ...next];
  const state = await night.finish(
    await night.plan({ name: "docs", task: "change vitest.config.ts", parts }),
  );
  expect(state).toMatchObject({ status: "unverified", stopReason: expect.stringContaining("vitest") });
};

test("a person's acceptance is signed on the worker's host, and the server knows the verdict at once", async () => {
  await leaveUndecided();
  const before = (await detail()).run;
  expect(before).toMatchObject({
    need: "finished, but nothing verified it",
    verdict: {
      verdict: "unverified",
      reasons: [expect.stringContaining("vitest.config.ts")],
      receipt: night.worker("docs").verdict?.receipt,
    },
  });
  startSteerer();
  await ask({ action: "accept", text: "it was meant" });
  await answer().toMatchObject({ state: "done", detail: "accepted; its receipt says so" });
  const { run, events } = await detail();
  const { verdict } = night.worker("docs");
  expect(run).toMatchObject({
    report: { status: "complete", reason: expect.stringContaining("it was meant") },
    verdict: { verdict: "complete (accepted)", acceptedBy: verdict?.accepted?.by, receipt: verdict?.receipt },
  });
  expect(run.need).toBeUndefined();
  expect(readFileSync(verdict?.receipt ?? "", "utf8")).toContain("payload");
  expect(events.filter(({ kind }) => kind === "verdict")).toHaveLength(2);
});

test("work that a person refuses is gone on with, and the next session reads why", async () => {
  await leaveUndecided([{ steps: FINISH }]);
  startSteerer();
  await ask({ action: "refuse", text: "leave the settings alone" });
  await answer().toMatchObject({ action: "refuse", state: "done", detail: "resumed" });
  await eventually(() => night.worker("docs").sessions.length).toBe(2);
  await eventually(() => night.events("docs").filter(({ type }) => type === "prompt").length).toBe(2);
  const prompt = night.events("docs").findLast(({ type }) => type === "prompt");
  expect(prompt?.["prompt"]).toContain("I looked at your work and refuse it. leave the settings alone");
  await eventually(async () => (await detail()).run.report.endedAt).toBeDefined();
});

test("a worker that used up its sessions is resumed with more of them and a note", async () => {
  const more = { steps: [{ do: "say", text: "HANDOFF: more to do" }] as const };
  const request = await night.plan({
    name: "docs",
    health: "exit 0",
    max: 1,
    parts: [{ steps: [...more.steps] }, { steps: FINISH }],
  });
  expect((await night.finish(request)).status).toBe("max-reached");
  startSteerer();
  await ask({ action: "resume", max: 3, text: "mind the anchors" });
  await answer().toMatchObject({ state: "done", detail: "resumed" });
  await eventually(async () => (await detail()).run).toMatchObject({
    report: { status: "complete", session: 2, max: 3 },
  });
  const prompt = night.events("docs").findLast(({ type }) => type === "prompt");
  expect(prompt?.["prompt"]).toContain("mind the anchors");
});

test("what cannot be done is answered with the reason", async () => {
  const request = await night.plan({ name: "docs", health: "exit 0", parts: [{ steps: FINISH }] });
  expect((await night.finish(request)).status).toBe("complete");
  night.git("docs", "commit", "-q", "--allow-empty", "-m", "after the verdict");
  startSteerer();
  await ask({ action: "accept" });
  await answer().toMatchObject({ state: "failed", detail: expect.stringContaining("worker verify docs") });
});

/** Calls a tool with a token that may only steer. */
const call = async (name: string, input: Record<string, unknown>) => {
  if (!client) {
    const made = await server.ask("POST", "/api/tokens", { as: admin(), body: { actions: ["steer"] } });
    client = await connectMcp(server, "2026-07-28", (JSON.parse(made.text) as { token: string }).token);
  }
  return client.call(name, input);
};

/** What the server knows of the worker; undefined before it has heard of it. */
const report = async (): Promise<{ run: RunView; asked: CommandView[] } | undefined> => {
  const { isError, text } = await call("workers_report", { worker: "docs" });
  return isError ? undefined : (JSON.parse(text) as { run: RunView; asked: CommandView[] });
};
const stateOf = async (action: string) =>
  (await report())?.asked.find((command) => command.action === action)?.state;

test("2026-07-28: a worker stops with a handoff, and its steerer resumes it from there", async () => {
  const works = [
    { do: "say", text: "up" },
    { do: "waitForFile", file: "../go/on" },
    { do: "say", text: "not reached" },
  ] as const;
  const request = await night.plan({
    name: "docs",
    health: "exit 0",
    parts: [{ steps: [...works], note: "HANDOFF: the anchors are left" }, { steps: FINISH }],
  });
  await night.start(request);
  await night.until("the agent at work", () =>
    night.events("docs").some(({ type, text }) => type === "text" && text === "up"),
  );
  await eventually(async () => (await report())?.run.report.status).toBe("running");
  expect(await call("worker_start", { worker: "docs" })).toMatchObject({ isError: true });

  const stopping = call("worker_stop", { worker: "docs" });
  await eventually(() => stateOf("stop")).toBe("received");
  night.write("go/on", ""); // its tool call ends
  expect(await stopping).toMatchObject({ isError: false });
  await eventually(() => stateOf("stop")).toBe("done");
  await eventually(async () => (await report())?.run.report.status).toBe("stopped");
  expect(await night.untilShown("stopped", "docs")).toMatchObject({ session: 1 });

  startSteerer();
  expect(await call("worker_start", { worker: "docs" })).toMatchObject({ isError: false });
  await eventually(() => stateOf("resume")).toBe("done");
  await eventually(async () => (await report())?.run.report.status).toBe("complete");
  expect(await night.untilShown("complete", "docs")).toMatchObject({ session: 2 });
  const prompt = night.events("docs").findLast(({ type }) => type === "prompt");
  expect(prompt?.["prompt"]).toContain("the anchors are left");
});
