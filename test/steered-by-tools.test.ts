// @module-tag long

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { connectMcp } from "../server/mcp/fixtures/clients.ts";
import { type MemoryServer, startMemoryServer } from "../server/memory/fixtures/start-memory-server.ts";
import type { CommandView } from "../server/night/schemas.ts";
import type { RunView } from "../server/night/views.ts";
import { carryOut } from "../worker/steerer/carry-out.ts";
import { openSteerLog } from "../worker/steerer/steer-log.ts";
import { steerSettings } from "../worker/steerer/steer-settings.ts";
import { eventually } from "./eventually.ts";
import { FINISH, Night } from "./faults/night.ts";

// What an agent on another machine does with a worker through the tools of the server's `/mcp`.

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

/** Calls a tool with a token that may only steer. */
const call = async (name: string, input: Record<string, unknown>) => {
  if (!client) {
    const admin = readFileSync(join(server.settings.home, "admin-token"), "utf8").trim();
    const made = await server.ask("POST", "/api/tokens", { as: admin, body: { actions: ["steer"] } });
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
