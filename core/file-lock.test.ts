import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bunBinary } from "../test/bun.ts";
import { findLockHolder, lockOrThrow, readLockOwner, tryLock } from "./file-lock.ts";
import { findIdentity, ownIdentity } from "./process-identity.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-lock-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const startRacer = async (lock: string, startFile: string) => {
  const child = spawn(bunBinary(), [join(import.meta.dirname, "fixtures/lock-racer.ts"), lock, startFile], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  return {
    pid: child.pid ?? 0,
    outcome: async () => String((await lines.next()).value),
    end: (signal: "SIGKILL" | "close") =>
      new Promise<void>((resolve) => {
        child.once("exit", () => resolve());
        if (signal === "close") child.stdin.end();
        else child.kill(signal);
      }),
  };
};

test("gives the lock to one holder and refuses a second while the first is alive", () => {
  const path = join(folder, "a/worker.lock");
  const first = tryLock(path, { label: "one" });
  expect(first.lock?.isHeld()).toBe(true);
  expect(tryLock(path, { label: "two" }).holder?.label).toBe("one");
  expect(() => lockOrThrow(path, { label: "two", what: "lock", hint: "stop it" })).toThrow(
    /lock is held by one \(pid \d+, since .*\); stop it/,
  );
  first.lock?.release();
  expect(tryLock(path, { label: "two" }).lock?.owner.label).toBe("two");
  expect(readdirSync(join(folder, "a"))).toEqual(["worker.lock"]);
});

test("lets exactly one of several racing processes win, free lock or dead owner's, 50 times out of 50", async () => {
  for (let round = 0; round < 25; round++) {
    for (const stale of [false, true]) {
      const path = join(folder, `${round}-${stale}.lock`);
      if (stale) {
        const dead = { ...ownIdentity(), startTime: "1", label: "dead", since: "2020-01-01T00:00:00Z" };
        writeFileSync(path, JSON.stringify(dead));
      }
      const start = `${path}.start`;
      const racers = await Promise.all([
        startRacer(path, start),
        startRacer(path, start),
        startRacer(path, start),
      ]);
      writeFileSync(start, "");
      const outcomes = await Promise.all(racers.map((racer) => racer.outcome()));
      expect(outcomes.toSorted()).toEqual(["lost", "lost", "won"]);
      await Promise.all(racers.map((racer) => racer.end("close")));
    }
  }
});

test("takes a killed holder's lock over at once, and a reused pid does not fool it", async () => {
  const path = join(folder, "worker.lock");
  writeFileSync(join(folder, "go"), "");
  const racer = await startRacer(path, join(folder, "go"));
  expect(await racer.outcome()).toBe("won");
  expect(findLockHolder(path)?.pid).toBe(racer.pid);
  await racer.end("SIGKILL");
  expect(findLockHolder(path)).toBeUndefined();
  // The same pid, alive, but started at another moment: our own pid with a wrong start time.
  const reused = { ...findIdentity(process.pid), startTime: "12345", label: "reused", since: "then" };
  writeFileSync(path, JSON.stringify(reused));
  const { lock } = tryLock(path, { label: "me" });
  expect(lock?.isHeld()).toBe(true);
  expect(readLockOwner(path)?.label).toBe("me");
});

test("recovers from a lock file that is no lock and from an heir that died while inheriting", () => {
  const path = join(folder, "worker.lock");
  writeFileSync(path, "garbage");
  const first = tryLock(path, { label: "me" });
  expect(first.lock?.isHeld()).toBe(true);
  first.lock?.release();
  const dead = { ...ownIdentity(), startTime: "1", label: "dead", since: "x" };
  writeFileSync(path, "garbage");
  writeFileSync(`${path}.heir-unreadable`, JSON.stringify(dead));
  expect(tryLock(path, { label: "heir" }).lock?.owner.label).toBe("heir");
  expect(readdirSync(folder)).toEqual(["worker.lock"]);
});

test("releases only its own lock", () => {
  const path = join(folder, "worker.lock");
  const { lock } = tryLock(path, { label: "one" });
  rmSync(path);
  const other = tryLock(path, { label: "two" });
  lock?.release();
  expect(other.lock?.isHeld()).toBe(true);
  expect(readFileSync(path, "utf8")).toContain("two");
});
