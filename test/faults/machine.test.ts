// @module-tag long

import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { systemClock } from "../../core/clock.ts";
import { followLog, readLastLines } from "../../worker/state/follow-log.ts";
import { LOG_BYTES, openWorkerLog, rotateLog } from "../../worker/state/worker-log.ts";
import { saveState } from "../../worker/state/save-state.ts";
import { isAlive } from "../../core/process-identity.ts";
import { findState } from "../../worker/state/worker-store.ts";
import { removeWorkerFiles } from "../../worker/state/remove-files.ts";
import { stopWorker } from "../../worker/loop/stop-worker.ts";
import { canMount, mountSmallDisk } from "../small-disk.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
let unmount: (() => void) | undefined;
beforeEach(() => {
  night = new Night();
});
afterEach(async () => {
  unmount?.();
  unmount = undefined;
  await night.dispose();
});

const OTHER_BOOT = "00000000-0000-0000-0000-000000000000";

test("after a reboot a worker shows crashed, its locks bar nobody, and it goes on", async () => {
  const request = await night.plan({
    health: "exit 0",
    parts: [{ steps: [{ do: "append", file: "a.txt", text: "half\n" }, { do: "hang" }] }, { steps: FINISH }],
  });
  await night.start(request);
  await night.until("a tool", () => existsSync(join(night.root, "night/a.txt")));
  await night.kill();
  // As the disk looks after a reboot: everything there, written by processes of another boot. The pids may
  // be taken by somebody else by now: here by this test, which lives.
  const state = findState(night.home, "night");
  if (!state) throw new Error("the state is gone");
  saveState(night.home, {
    ...state,
    supervisor: { ...state.supervisor, pid: process.pid, bootId: OTHER_BOOT },
  });
  const folder = join(night.root, "night/.git/nightshift");
  for (const lock of [night.files().supervisorLock, join(folder, "worker.lock")]) {
    const owner = JSON.parse(readFileSync(lock, "utf8")) as Record<string, unknown>;
    writeFileSync(lock, JSON.stringify({ ...owner, pid: process.pid, bootId: OTHER_BOOT }));
  }
  expect(night.worker().shown).toBe("crashed");
  expect(await night.run(await night.resumeRequest())).toMatchObject({ status: "complete", session: 2 });
});

test("locks that a killed git left do not keep the next session from committing; an older one stays", async () => {
  const request = await night.plan({
    health: "exit 0",
    parts: [
      {
        steps: [
          { do: "run", command: "touch .git/index.lock .git/refs/heads/main.lock .git/packed-refs.lock" },
          { do: "crash" },
        ],
      },
      { steps: FINISH },
    ],
  });
  // Of another time, so of somebody else; git minds this one only when it packs.
  const old = night.write("night/.git/shallow.lock", "");
  execFileSync("touch", ["-d", "2001-01-01", old]);
  const state = await night.run({ ...request, max: 2 });
  expect(night.log()).toMatch(/moved a stale git lock aside: .*index\.lock/);
  expect(existsSync(join(night.root, "night/.git/index.lock"))).toBe(false);
  expect(existsSync(join(night.root, "night/.git/refs/heads/main.lock"))).toBe(false);
  expect(existsSync(old)).toBe(true);
  expect(state.session).toBe(2);
});

const fill = (home: string): string => {
  const path = join(home, "filler");
  for (const size of [65_536, 4_096, 512])
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: "a" });
    } catch {
      // full for this size
    }
  return path;
};

test.skipIf(!canMount)(
  "a worker whose HOME fills up goes on, and writes handoff and state when there is room again",
  async () => {
    unmount = mountSmallDisk(night.home, "1m");
    const wait = (file: string): ScriptedStep => ({ do: "waitForFile", file: `../${file}` });
    const request = await night.plan({
      health: "exit 0",
      parts: [
        {
          steps: [
            { do: "run", command: "touch ../first" },
            wait("go/on"),
            { do: "append", file: "a.txt", text: "x\n" },
            { do: "say", text: "HANDOFF: half of it" },
          ],
        },
        { steps: [{ do: "run", command: "touch ../second" }, wait("go/end"), ...FINISH] },
      ],
    });
    const ended = night.run(request);
    await night.until("the first session", () => existsSync(join(night.root, "first")));
    const filler = fill(night.home);
    night.write("go/on", "");
    await night.until("the second session", () => existsSync(join(night.root, "second")));
    expect(
      existsSync(join(night.files().handoffs, "001.md")) &&
        statSync(join(night.files().handoffs, "001.md")).size > 0,
    ).toBe(false);
    rmSync(filler);
    night.write("go/end", "");
    const state = await ended;
    expect(state).toMatchObject({ status: "complete", session: 2 });
    expect(state.remarks.join("\n")).toMatch(/the disk is full/);
    expect(night.worker()).toMatchObject({ shown: "complete", session: 2 });
    expect(readFileSync(join(night.files().handoffs, "001.md"), "utf8")).toContain("half of it");
  },
);

const BUSY: ScriptedStep[] = [{ do: "repeat", times: 10_000, steps: [{ do: "wait", ms: 20 }] }];

test.skipIf(!canMount)("a worker in a full HOME can be stopped, gently and at once", async () => {
  unmount = mountSmallDisk(night.home, "1m");
  for (const isNow of [false, true]) {
    const request = await night.plan({ health: "exit 0", parts: [{ steps: BUSY }] });
    await night.start(request);
    await night.until("the agent", () => night.events().some(({ type }) => type === "started"));
    const filler = fill(night.home);
    const signal = new AbortController().signal;
    await stopWorker({ clock: systemClock, home: night.home, signal }, { name: "night", isNow });
    rmSync(filler);
    expect(isAlive(night.worker().supervisor)).toBe(false);
    removeWorkerFiles(night.home, "night");
  }
});

test.skipIf(!canMount)(
  "a start in a full HOME is refused with what to do, and leaves nothing behind",
  async () => {
    unmount = mountSmallDisk(night.home, "1m");
    const request = await night.plan({ parts: [{ steps: FINISH }] });
    const filler = fill(night.home);
    await expect(night.start(request)).rejects.toMatchObject({ code: "storage-full" });
    rmSync(filler);
    expect(existsSync(night.files().state)).toBe(false);
    expect(await night.run(request)).toMatchObject({ status: "unverified" });
  },
);

test("a log that has grown is rotated, three old ones are kept, and the follower misses no line", async () => {
  mkdirSync(night.home);
  const files = night.files();
  const log = openWorkerLog(files, {
    now: Date.now,
    onFailure: (error) => {
      throw error;
    },
  });
  log.line("line 0");
  const stderr = openSync(files.log, "a"); // as a supervisor has it
  const { offset, rotated } = readLastLines(files.log, 0);
  const seen: string[] = [];
  let isOver = false;
  const following = followLog(
    { clock: systemClock, signal: new AbortController().signal, isOver: () => isOver },
    { path: files.log, offset, rotated },
    (text) => seen.push(...text.trimEnd().split("\n")),
  );
  for (let turn = 1; turn <= 5; turn++) {
    log.line(`line ${turn} before`);
    rotateLog(files.log, 1);
    log.line(`line ${turn} after`);
    await night.until(`line ${turn}`, () => seen.some((line) => line.endsWith(`line ${turn} after`)));
  }
  isOver = true;
  await following;
  expect(seen.map((line) => line.slice(25))).toEqual(
    [1, 2, 3, 4, 5].flatMap((turn) => [`line ${turn} before`, `line ${turn} after`]),
  );
  expect([".1", ".2", ".3", ".4"].map((end) => existsSync(files.log + end))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(readLastLines(files.log, 2).lines.map((line) => line.slice(25))).toEqual([
    "line 5 before",
    "line 5 after",
  ]);
  writeFileSync(files.log, "x".repeat(LOG_BYTES));
  log.line("fresh");
  writeSync(stderr, "FATAL ERROR: last words\n");
  closeSync(stderr);
  expect(readFileSync(files.log, "utf8")).toMatch(/^\S+ fresh\nFATAL ERROR: last words\n$/);
});
