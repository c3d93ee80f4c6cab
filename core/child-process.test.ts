import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runChild } from "./child-process.ts";
import { systemClock } from "./clock.ts";
import { readLimitMark } from "./limit-mark.ts";
import { findIdentity, isAlive } from "./process-identity.ts";
import { endMarked, findMarked } from "./process-tree.ts";

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "nightshift-child-"));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});
const env = { PATH: process.env["PATH"] };
const sh = (script: string, more: object = {}) =>
  runChild({ command: "sh", args: ["-c", script], cwd, env, ...more });

test("gives success and failure the same shape, with what was printed", async () => {
  const fine = await sh("cat; echo err >&2", { input: "héllo 🌙" });
  expect(fine).toMatchObject({
    isOk: true,
    exitCode: 0,
    stdout: "héllo 🌙",
    stderr: "err\n",
    problem: undefined,
  });
  const bad = await sh("echo out; exit 3");
  expect(bad).toMatchObject({ isOk: false, exitCode: 3, stdout: "out\n", problem: "sh exited with 3" });
});

test("says that a program is not there, naming it and the folder", async () => {
  const result = await runChild({ command: "no-such-program-here", cwd, env });
  expect(result).toMatchObject({ isOk: false, isMissing: true, exitCode: undefined });
  expect(result.problem).toBe(`no-such-program-here was not found (working directory ${cwd})`);
});

test("reads all that a fast child wrote, and keeps the end of what is too much", async () => {
  const all = await sh("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done");
  expect(all.stdout.trimEnd().split("\n")).toHaveLength(20_000);
  const tail = await sh("i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done", {
    maxOutputBytes: 100,
  });
  expect(tail.stdout).toMatch(/^\[\d+ bytes cut\]\n/);
  expect(tail.stdout.endsWith("line 4999\n")).toBe(true);
});

test("ends the whole tree at the time limit, also what left its process group and ignores SIGTERM", async () => {
  const script = `setsid sh -c 'trap "" TERM; echo $$ > stubborn; while :; do sleep 1; done' & sh -c 'echo $$ > plain; sleep 60' & while ! [ -s stubborn ] || ! [ -s plain ]; do sleep 0.01; done; echo ready; sleep 60`;
  const result = await sh(script, { timeoutMs: 3_000, graceMs: 200 });
  expect(result).toMatchObject({ isOk: false, isTimedOut: true, problem: "sh was ended after 3000 ms" });
  for (const name of ["stubborn", "plain"])
    expect(findIdentity(Number(readFileSync(join(cwd, name), "utf8")))).toBeUndefined();
});

test("ends what a finished child left in the background, and does not wait for its pipes", async () => {
  const result = await sh("setsid sleep 60 & echo $! > left; echo done");
  expect(result).toMatchObject({ isOk: true, stdout: "done\n" });
  expect(findIdentity(Number(readFileSync(join(cwd, "left"), "utf8")))).toBeUndefined();
});

test("ends a program at its time limit although it wiped its environment, and with it the mark", async () => {
  const request = {
    command: "env",
    args: ["-i", "sh", "-c", "trap '' TERM; while :; do sleep 1; done"],
    cwd,
    env,
  };
  const result = await runChild({ ...request, timeoutMs: 1_500, graceMs: 100 });
  expect(result).toMatchObject({ isOk: false, isTimedOut: true, signal: "SIGKILL" });
});

test("arguments that no system takes are said like a program that is not there", async () => {
  const result = await runChild({ command: "echo", args: ["x".repeat(3_000_000)], cwd, env });
  expect(result).toMatchObject({ isOk: false, isMissing: true });
  expect(result.problem).toBe("echo could not be started: its arguments and environment are too long");
});

test("stops at an abort", async () => {
  const controller = new AbortController();
  const running = sh("echo up; sleep 60", { signal: controller.signal, onOutput: () => controller.abort() });
  expect(await running).toMatchObject({ isOk: false, isAborted: true, problem: "sh was interrupted" });
});

test("finds marked processes through nested marks and ends nothing else", async () => {
  const outer = `outer-${process.pid}`;
  const inner = sh(
    `node -e '
      require("child_process").spawn("sleep", ["60"], { detached: true, stdio: "ignore",
        env: { ...process.env, NIGHTSHIFT_SESSION_MARK: process.env.NIGHTSHIFT_SESSION_MARK + ":inner-mark" } });
      console.log("up"); setInterval(() => {}, 1000)'`,
    {
      mark: outer,
      onOutput: () => {
        const ids = findMarked("inner-mark");
        expect(ids).toHaveLength(1);
        void endMarked(outer, { clock: systemClock, graceMs: 500 });
      },
    },
  );
  const bystander = sh("echo up; sleep 0.6");
  expect((await inner).isOk).toBe(false);
  expect(findMarked(outer)).toEqual([]);
  expect((await bystander).isOk).toBe(true);
});

test("tells a live process from a reused pid", () => {
  const own = findIdentity(process.pid);
  expect(own && isAlive(own)).toBe(true);
  expect(own && isAlive({ ...own, startTime: "1" })).toBe(false);
  expect(own && isAlive({ ...own, bootId: "another boot" })).toBe(false);
});

test("whoever starts a marked program wears none of its marks: it would be ended by whoever looks for them", async () => {
  const worn: unknown[] = [];
  const env = {
    PATH: process.env["PATH"] ?? "",
    // Read for each start, in the middle of it.
    get PROBE() {
      worn.push(readLimitMark("self"));
      return "";
    },
  };
  await runChild({ command: "true", cwd: "/", env, mark: "of-the-child" });
  expect(worn.length).toBeGreaterThan(0);
  expect(worn.filter((limit) => limit !== undefined)).toEqual([]);
});
