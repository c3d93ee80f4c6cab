// @module-tag long

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { systemClock } from "../../core/clock.ts";
import { isAlive } from "../../core/process-identity.ts";
import { findMarked } from "../../core/process-tree.ts";
import { type Watched, runRound } from "../../worker/steerer/round.ts";
import { dirKey } from "../../worker/steerer/claim-dirs.ts";
import { sendControl } from "../../worker/state/control.ts";
import { needPerson, steer } from "../../worker/steerer/steer.ts";
import { type SteerEvent, openSteerLog } from "../../worker/steerer/steer-log.ts";
import { steerSettings } from "../../worker/steerer/steer-settings.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
let told: SteerEvent[] = [];
const programs: ChildProcess[] = [];
beforeEach(() => {
  night = new Night();
  told = [];
});
afterEach(async () => {
  for (const program of programs.splice(0))
    if (program.exitCode === null && program.signalCode === null) {
      program.kill("SIGKILL");
      await once(program, "exit");
    }
  await night.dispose();
});

const round = async (
  policies = {},
  memory?: { url: string; keyFile: string },
): Promise<readonly Watched[]> => {
  night.config = { ...night.config, steerer: { policies } };
  const settings = steerSettings({ dirs: [night.root] }, night.loaded(), { env: night.env, cwd: night.root });
  const log = openSteerLog(
    { home: night.home, now: Date.now, onEvent: (event) => told.push(event) },
    { isDryRun: false },
  );
  return runRound(
    { clock: systemClock, env: night.env, fetch, home: night.home, log },
    { ...settings, memory },
  );
};
/** The config that a restart reads, where it is looked for. */
const saveConfig = () => night.write("agent.config.json", JSON.stringify(night.config));
const types = () => told.map(({ type }) => type);
const HANG: ScriptedStep[] = [
  { do: "append", file: "work.txt", text: "half\n" },
  { do: "hang", stubborn: true },
];

const startHanging = async (more: Parameters<Night["plan"]>[0]["parts"] = [{ steps: FINISH }]) => {
  const request = await night.plan({ health: "exit 0", parts: [{ steps: HANG }, ...more] });
  saveConfig();
  await night.start(request);
  await night.until("half a line", () => existsSync(join(night.root, "night/work.txt")));
};

test("a crashed worker is restarted, its orphans ended and its work saved, and it completes", async () => {
  await startHanging([{ steps: [{ do: "run", command: "git reset -q --hard; git clean -qfd" }, ...FINISH] }]);
  await night.kill();
  const mark = night.worker().sessions[0]?.mark ?? "";
  expect(findMarked(mark)).not.toEqual([]);
  await round();
  expect(types()).toEqual(["reap", "restart"]);
  expect(findMarked(mark)).toEqual([]);
  await night.untilShown("complete");
  expect(night.git("night", "show", "refs/nightshift/rescue/night/2:work.txt")).toBe("half\n");
});

test("a healthy worker is never touched: same processes, no event, no restart", async () => {
  await startHanging();
  const { supervisor, sessions } = night.worker();
  const before = findMarked(sessions[0]?.mark ?? "");
  await round();
  await round();
  expect(told).toEqual([]);
  expect(isAlive(supervisor)).toBe(true);
  expect(findMarked(sessions[0]?.mark ?? "")).toEqual(before);
  expect(night.worker().supervisor).toEqual(supervisor);
});

test("a round that fails does not end the steerer; it says so once, and goes on when it can", async () => {
  night.repository("night");
  const end = new AbortController();
  const settings = steerSettings({ dirs: [night.root] }, night.loaded(), { env: night.env, cwd: night.root });
  const log = openSteerLog(
    { home: night.home, now: Date.now, onEvent: (event) => told.push(event) },
    { isDryRun: false },
  );
  const broken = join(night.home, ".steerer", `dir-${dirKey(night.root)}.json`);
  let rounds = 0;
  await steer(
    { clock: systemClock, env: night.env, fetch, home: night.home, log },
    { ...settings, intervalMs: 1 },
    {
      isOnce: false,
      signal: end.signal,
      onRound: () => {
        rounds++;
        if (rounds === 1) {
          rmSync(broken);
          mkdirSync(join(broken, "in the way"), { recursive: true });
        }
        if (rounds === 3) rmSync(broken, { recursive: true });
        if (rounds === 4) end.abort();
      },
    },
  );
  expect(types()).toEqual(["watching", "round-failed"]);
});

test("after three restarts within an hour it gives up, says so once, and saves the work; a resume begins a new budget", async () => {
  await startHanging();
  for (let restart = 1; restart <= 3; restart++) {
    await night.kill();
    await round();
    expect(types().filter((type) => type === "restart")).toHaveLength(restart);
    await night.until("a session", () => night.worker().sessions.length > restart);
    if (restart < 3)
      writeFileSync(join(night.root, "scripts/night.json"), JSON.stringify({ parts: [{ steps: HANG }] }));
  }
  await night.kill();
  const watched = await round();
  expect(types().slice(-2)).toEqual(["rescue", "gave-up"]);
  expect(told.at(-1)?.message).toMatch(/crashed again after 3 restarts within an hour .*worker resume night/);
  expect(needPerson(watched)).toHaveLength(1);
  const count = told.length;
  await round();
  expect(told).toHaveLength(count);

  await night.start(await night.resumeRequest());
  await round();
  await night.kill();
  await round();
  expect(
    types()
      .slice(count)
      .filter((type) => type === "restart"),
  ).toHaveLength(1);
  expect(told.at(-1)?.message).toMatch(/restart 1 within the hour/);
});

test("a directory in which another worker works now is not rescued under the old one's name", async () => {
  const old = await night.plan({
    name: "old",
    dir: "night",
    parts: [{ steps: [{ do: "say", text: "DONE: x" }] }],
  });
  await night.finish(old);
  await startHanging();
  await round();
  expect(told).toEqual([]);
});

test("the budget lies with the worker: a new steerer counts on", async () => {
  await startHanging();
  await night.kill();
  writeFileSync(
    join(night.files().folder, "steerer.json"),
    JSON.stringify({
      version: 1,
      restarts: [1, 2, 61].map((minutes) => new Date(Date.now() - minutes * 60_000).toISOString()),
      read: { inode: 0, offset: 0 },
    }),
  );
  await round();
  expect(told.find(({ type }) => type === "restart")?.message).toMatch(/restart 3 within the hour/);
});

test("a worker that was asked to stop before it crashed is tidied up and stays down", async () => {
  await startHanging();
  await night.kill();
  const folder = night.files().control;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "000000000000001-x.json"), '{"type":"stop","isNow":false}');
  await round();
  expect(types()).toEqual(["reap", "rescue", "left-alone"]);
  expect(night.worker().shown).toBe("crashed");
});

test("with restarts, reaping and rescue switched off it only says what it sees", async () => {
  await startHanging();
  await night.kill();
  const mark = night.worker().sessions[0]?.mark ?? "";
  await round({ restart: false, reap: false, rescue: false });
  expect(types()).toEqual(["left-alone"]);
  expect(findMarked(mark)).not.toEqual([]);
  expect(night.git("night", "for-each-ref", "refs/nightshift")).toBe("");
});

test("workers of other directories are left alone", async () => {
  await startHanging();
  await night.kill();
  mkdirSync(join(night.root, "nigh"));
  const settings = steerSettings({ dirs: [join(night.root, "nigh")] }, night.loaded(), {
    env: night.env,
    cwd: "/",
  });
  const log = openSteerLog(
    { home: night.home, now: Date.now, onEvent: (event) => told.push(event) },
    { isDryRun: false },
  );
  const watched = await runRound(
    { clock: systemClock, env: night.env, fetch, home: night.home, log },
    settings,
  );
  expect([watched, told]).toEqual([[], []]);
});

test("AGENTS.md that changes is noticed, and who will see it", async () => {
  await startHanging();
  night.write("night/AGENTS.md", "# Rules\n");
  await round();
  expect(told).toEqual([]);
  night.write("night/AGENTS.md", "# Other rules\n");
  await round();
  expect(told).toMatchObject([
    {
      type: "agents-md",
      message: expect.stringMatching(
        /AGENTS\.md of .*night has changed; the next session of night will see it/,
      ),
    },
  ]);
});

const STEERER = resolve(import.meta.dirname, "../../dist/scripts/steerer.js");
const steerer = (...args: string[]) =>
  spawnSync(process.execPath, [STEERER, ...args], { cwd: night.root, env: night.env, encoding: "utf8" });

test("a second steerer on a directory, above it or below it, is refused and told who holds it", async () => {
  const inner = join(night.root, "inner");
  mkdirSync(inner);
  const first = spawn(process.execPath, [STEERER, "--dir", inner, "--json", "--interval", "0.2"], {
    cwd: night.root,
    env: night.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  programs.push(first);
  await once(first.stdout, "data");
  for (const dir of [inner, night.root]) {
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
    cwd: night.root,
    env: night.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  programs.push(first);
  await once(first.stdout, "data");
  first.kill("SIGKILL");
  await once(first, "exit");
  expect(steerer("--once").status).toBe(0);
});

test("a dry run says what it would do and changes nothing; once does it, with exit 1 where a person is needed", async () => {
  await startHanging();
  await night.kill();
  const mark = night.worker().sessions[0]?.mark ?? "";
  const dry = steerer("--dry-run", "--json", "--dir", night.root);
  const lines = dry.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as SteerEvent);
  expect(lines.map(({ type }) => type)).toEqual(["would-reap", "would-restart"]);
  expect(findMarked(mark)).not.toEqual([]);
  expect(existsSync(join(night.home, ".steerer"))).toBe(false);

  night.config = { ...night.config, steerer: { policies: { restartsPerHour: 0 } } };
  saveConfig();
  const done = steerer("--once", "--dir", night.root);
  expect(done.status).toBe(1);
  expect(done.stdout).toMatch(/night: ended \d+ orphaned process/);
  expect(done.stdout).toMatch(/night +crashed \(scripted\)/);
  expect(done.stderr).toContain("needs a person: night");
  const events = readFileSync(join(night.home, ".steerer/events.jsonl"), "utf8");
  expect(events).toContain('"type":"gave-up"');
});

test("a worker that is stopped while the steerer is busy with another one stays down", async () => {
  const requests = [];
  for (const name of ["a", "b"])
    requests.push(await night.plan({ name, parts: [{ steps: [{ do: "hang" }] }] }));
  saveConfig();
  for (const request of requests) await night.start(request);
  for (const name of ["a", "b"]) {
    await night.until(`${name} at work`, () => night.events(name).some(({ type }) => type === "started"));
    await night.kill(name);
  }
  const settings = steerSettings({ dirs: [night.root] }, night.loaded(), { env: night.env, cwd: night.root });
  const stop = () => {
    const worker = resolve(import.meta.dirname, "../../dist/scripts/worker.js");
    return spawnSync(process.execPath, [worker, "stop", "b"], { env: night.env }).status;
  };
  // The steerer has looked at both by the time it says this, and has not begun with b.
  const onEvent = (event: SteerEvent) => {
    told.push(event);
    if (event.type === "restart" && event.worker === "a") expect(stop()).toBe(0);
  };
  const log = openSteerLog({ home: night.home, now: Date.now, onEvent }, { isDryRun: false });
  await runRound({ clock: systemClock, env: night.env, fetch, home: night.home, log }, settings);
  expect(told.filter(({ type }) => type === "restart").map(({ worker }) => worker)).toEqual(["a"]);
  expect(told).toContainEqual(
    expect.objectContaining({
      type: "left-alone",
      worker: "b",
      message: "it was asked to stop before it crashed",
    }),
  );
  expect(night.worker("b").status).toBe("crashed");
});

test("a stop that is asked for between the steerer's look and the new supervisor's start is heeded", async () => {
  const request = await night.plan({ parts: [{ steps: [{ do: "hang" }] }] });
  const sinceMs = Date.now();
  sendControl(night.files().control, { type: "stop", isNow: false });
  expect(await night.finish({ ...request, sinceMs })).toMatchObject({
    status: "stopped",
    stopReason: "stopped by request",
  });
});
