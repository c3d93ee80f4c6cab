// @module-tag long

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { findMarked } from "../../core/process-tree.ts";
import { runRound } from "../../worker/steerer/round.ts";
import { sendControl } from "../../worker/state/control.ts";
import { type SteerEvent, openSteerLog } from "../../worker/steerer/steer-log.ts";
import { steerSettings } from "../../worker/steerer/steer-settings.ts";
import { useSteerer } from "./steerer-lab.ts";

const lab = useSteerer();
const programs: ChildProcess[] = [];
afterEach(async () => {
  for (const program of programs.splice(0))
    if (program.exitCode === null && program.signalCode === null) {
      program.kill("SIGKILL");
      await once(program, "exit");
    }
});

const STEERER = resolve(import.meta.dirname, "../../dist/scripts/steerer.js");
const steerer = (...args: string[]) =>
  spawnSync(process.execPath, [STEERER, ...args], {
    cwd: lab.night.root,
    env: lab.night.env,
    encoding: "utf8",
  });

test("a second steerer on a directory, above it or below it, is refused and told who holds it", async () => {
  const inner = join(lab.night.root, "inner");
  mkdirSync(inner);
  const first = spawn(process.execPath, [STEERER, "--dir", inner, "--json", "--interval", "0.2"], {
    cwd: lab.night.root,
    env: lab.night.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  programs.push(first);
  await once(first.stdout, "data");
  for (const dir of [inner, lab.night.root]) {
    const second = steerer("--dir", dir, "--once", "--json");
    expect(second.status).toBe(75);
    expect(JSON.parse(second.stdout)).toMatchObject({ code: "locked", holder: { pid: first.pid } });
  }
  first.kill("SIGTERM");
  expect(await once(first, "exit")).toEqual([0, null]);
  expect(steerer("--dir", inner, "--once").status).toBe(0);
});

test("one dead steerer's claim is taken over at once", async () => {
  const first = spawn(process.execPath, [STEERER, "--json"], {
    cwd: lab.night.root,
    env: lab.night.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  programs.push(first);
  await once(first.stdout, "data");
  first.kill("SIGKILL");
  await once(first, "exit");
  expect(steerer("--once").status).toBe(0);
});

test("a dry run says what it would do and changes nothing; once does it, with exit 1 where a person is needed", async () => {
  await lab.startHanging();
  await lab.night.kill();
  const mark = lab.night.worker().sessions[0]?.mark ?? "";
  const dry = steerer("--dry-run", "--json", "--dir", lab.night.root);
  const lines = dry.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as SteerEvent);
  expect(lines.map(({ type }) => type)).toEqual(["would-reap", "would-restart"]);
  expect(findMarked(mark)).not.toEqual([]);
  expect(existsSync(join(lab.night.home, ".steerer"))).toBe(false);

  lab.night.config = { ...lab.night.config, steerer: { policies: { restartsPerHour: 0 } } };
  lab.saveConfig();
  const done = steerer("--once", "--dir", lab.night.root);
  expect(done.status).toBe(1);
  expect(done.stdout).toMatch(/night: ended \d+ orphaned process/);
  expect(done.stdout).toMatch(/night +crashed \(scripted\)/);
  expect(done.stderr).toContain("needs a person: night");
  const events = readFileSync(join(lab.night.home, ".steerer/events.jsonl"), "utf8");
  expect(events).toContain('"type":"gave-up"');
});

test("a worker that is stopped while the steerer is busy with another one stays down", async () => {
  const requests = [];
  for (const name of ["a", "b"])
    requests.push(await lab.night.plan({ name, parts: [{ steps: [{ do: "hang" }] }] }));
  lab.saveConfig();
  for (const request of requests) await lab.night.start(request);
  for (const name of ["a", "b"]) {
    await lab.night.until(`${name} at work`, () =>
      lab.night.events(name).some(({ type }) => type === "started"),
    );
    await lab.night.kill(name);
  }
  const settings = steerSettings({ dirs: [lab.night.root] }, lab.night.loaded(), {
    env: lab.night.env,
    cwd: lab.night.root,
  });
  const stop = () => {
    const worker = resolve(import.meta.dirname, "../../dist/scripts/worker.js");
    return spawnSync(process.execPath, [worker, "stop", "b"], { env: lab.night.env }).status;
  };
  // The steerer has looked at both by the time it says this, and has not begun with b.
  const onEvent = (event: SteerEvent) => {
    lab.told.push(event);
    if (event.type === "restart" && event.worker === "a") expect(stop()).toBe(0);
  };
  const log = openSteerLog({ home: lab.night.home, now: Date.now, onEvent }, { isDryRun: false });
  await runRound({ clock: systemClock, env: lab.night.env, fetch, home: lab.night.home, log }, settings);
  expect(lab.told.filter(({ type }) => type === "restart").map(({ worker }) => worker)).toEqual(["a"]);
  expect(lab.told).toContainEqual(
    expect.objectContaining({
      type: "left-alone",
      worker: "b",
      message: "it was asked to stop before it crashed",
    }),
  );
  expect(lab.night.worker("b").status).toBe("crashed");
});

test("a stop that is asked for between the steerer's look and the new supervisor's start is heeded", async () => {
  const request = await lab.night.plan({ parts: [{ steps: [{ do: "hang" }] }] });
  const sinceMs = Date.now();
  sendControl(lab.night.files().control, { type: "stop", isNow: false });
  expect(await lab.night.finish({ ...request, sinceMs })).toMatchObject({
    status: "stopped",
    stopReason: "stopped by request",
  });
});
