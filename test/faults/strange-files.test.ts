// @module-tag long

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { FINISH, Night } from "./night.ts";

const DIST = resolve(import.meta.dirname, "../../dist/scripts");

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const fifo = (path: string): string => {
  const full = join(night.root, path);
  mkdirSync(dirname(full), { recursive: true });
  rmSync(full, { force: true });
  execFileSync("mkfifo", [full]);
  return full;
};

/** A built command in the night's folder. */
const run = (program: string, words: readonly string[], cwd = night.root) => {
  const child = spawn(process.execPath, [join(DIST, `${program}.js`), ...words], { env: night.env, cwd });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, text }));
  return { child, ended, text: () => text };
};

const START = ["start", "w", "--agent", "scripted", "--task", "x"];

test("a FIFO in the place of a config is named by worker start, and holds up no worker list", async () => {
  night.repository("project");
  const path = fifo("project/agent.config.json");
  const at = join(night.root, "project");
  expect(await run("worker", START, at).ended).toMatchObject({ text: expect.stringContaining(path) });
  expect((await run("worker", START, at).ended).code).not.toBe(0);
  expect(await run("worker", ["list"], at).ended).toMatchObject({ code: 0 });
});

test("a FIFO in the place of a worker's state is named by worker list, which shows the others, and by worker start", async () => {
  await night.run(await night.plan({ name: "good", health: "exit 0", parts: [{ steps: FINISH }] }));
  const path = fifo("workers/w.json");
  const list = await run("worker", ["list"]).ended;
  expect(list).toMatchObject({ code: 0, text: expect.stringMatching(/good +complete/) });
  expect(list.text).toContain(path);
  const started = await run("worker", START, join(night.root, "good")).ended;
  expect(started.code).not.toBe(0);
  expect(started.text).toContain(path);
});

test("a steerer among FIFOs (config of a worker's project, a state, AGENTS.md) does its rounds and heeds SIGTERM", async () => {
  const request = await night.plan({
    name: "crashes",
    health: "exit 0",
    parts: [{ steps: [{ do: "waitForFile", file: "../go" }, ...FINISH] }],
  });
  night.config = { ...night.config, steerer: { dirs: ["crashes"], intervalSeconds: 0.1 } };
  night.write("agent.config.json", JSON.stringify(night.config));
  await night.start(request);
  await night.until("work", () => night.events("crashes").some(({ type }) => type === "started"));
  fifo("crashes/AGENTS.md");
  fifo("workers/other.json");
  await night.kill("crashes");
  const steerer = run("steerer", ["--json"]);
  await eventually(async () => steerer.text().includes('"restart"')).toBe(true);
  steerer.child.kill("SIGTERM");
  expect(await steerer.ended).toMatchObject({ code: 0 });
});

test("a link to nowhere and a FIFO in the places of a worker's locks are replaced, and the link's target is not made", async () => {
  const request = await night.plan({ name: "w", health: "exit 0", parts: [{ steps: FINISH }] });
  const nowhere = join(night.root, "nowhere");
  const link = night.files("w").supervisorLock;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(nowhere, link);
  fifo("w/.git/nightshift/worker.lock");
  expect(readlinkSync(link)).toBe(nowhere);
  expect(await night.finish(request)).toMatchObject({ status: "complete" });
  expect(existsSync(nowhere)).toBe(false);
});
