import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bunBinary } from "../test/bun.ts";
import { lockOrThrow, tryLock } from "./file-lock.ts";
import { findLockHolder, readLockOwner } from "./lock-owner.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { findIdentity, ownIdentity } from "./process-identity.ts";
import { waitFor } from "../test/wait-for.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-lock-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const RACER = join(import.meta.dirname, "fixtures/lock-racer.ts");

/** `wrap`: the words of a command that runs it elsewhere, as in a container */
const startRacer = async (lock: string, startFile: string, wrap: readonly string[] = []) => {
  const [command, ...args] = [...wrap, bunBinary(), RACER, lock, startFile];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
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

const race = (rounds: number) => async (): Promise<void> => {
  for (let round = 0; round < rounds; round++) {
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
};

test("lets exactly one of several racing processes win, free lock or dead owner's", race(4));
test("lets exactly one of them win 50 times out of 50", { tags: ["long"] }, race(25));

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

const OTHER_BOOT = "00000000-0000-0000-0000-000000000000";
const age = (path: string, seconds: number) => {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
};

test("leaves another host's lock alone while its heart beats, whatever process has its pid here, and takes it when the beat has stopped", () => {
  const path = join(folder, "worker.lock");
  // Pids mean nothing across hosts: this one is alive here, the other is not.
  for (const pid of [process.pid, 4_194_305]) {
    const foreign = {
      ...ownIdentity(),
      pid,
      bootId: OTHER_BOOT,
      host: "elsewhere",
      label: "afar",
      since: "x",
    };
    writeFileSync(path, JSON.stringify(foreign));
    expect(findLockHolder(path)?.label).toBe("afar");
    expect(tryLock(path, { label: "me" }).holder?.label).toBe("afar");
    age(path, 100);
    expect(tryLock(path, { label: "me" }).holder?.label).toBe("afar");
    age(path, 200);
    expect(findLockHolder(path)).toBeUndefined();
    const { lock } = tryLock(path, { label: "me" });
    expect(lock?.isHeld()).toBe(true);
    lock?.release();
  }
});

test("a lock of this host from before a reboot is dead at once", () => {
  const path = join(folder, "worker.lock");
  writeFileSync(path, JSON.stringify({ ...ownIdentity(), bootId: OTHER_BOOT, label: "before", since: "x" }));
  expect(findLockHolder(path)).toBeUndefined();
  expect(tryLock(path, { label: "me" }).lock?.isHeld()).toBe(true);
});

test("a beat dates the file again, and never that of somebody who took the lock over", async () => {
  const path = join(folder, "worker.lock");
  writeFileSync(path, "mine");
  age(path, 500);
  const isFresh = () => statSync(path).mtimeMs > Date.now() - 100_000;
  const heart = startHeartbeat(path, (text) => text === "mine", { everyMs: 10 });
  await waitFor("a beat", isFresh);
  expect(readFileSync(path, "utf8")).toBe("mine");
  writeFileSync(path, "theirs");
  age(path, 500);
  const other = join(folder, "other.lock");
  writeFileSync(other, "mine");
  age(other, 500);
  const witness = startHeartbeat(other, () => true, { everyMs: 10 });
  await waitFor("beats elsewhere", () => statSync(other).mtimeMs > Date.now() - 100_000);
  expect(isFresh()).toBe(false);
  heart.stop();
  witness.stop();
});

const CONTAINER = ["unshare", "--pid", "--fork", "--mount-proc"];
const canUnshare = spawnSync("unshare", [...CONTAINER.slice(1), "true"]).status === 0;

test.skipIf(!canUnshare)(
  "two processes of different pid namespaces, as in a container, never hold one lock",
  async () => {
    writeFileSync(join(folder, "go"), "");
    const here = join(folder, "here.lock");
    expect(tryLock(here, { label: "outside" }).lock?.isHeld()).toBe(true);
    const inside = await startRacer(here, join(folder, "go"), CONTAINER);
    expect(await inside.outcome()).toBe("lost");
    await inside.end("close");
    const there = join(folder, "there.lock");
    const holder = await startRacer(there, join(folder, "go"), CONTAINER);
    expect(await holder.outcome()).toBe("won");
    expect(tryLock(there, { label: "outside" }).holder?.label).toMatch(/^racer /);
    await holder.end("close");
    // Nobody can prove its death: what tells is that its heart stopped.
    age(there, 200);
    expect(tryLock(there, { label: "outside" }).lock?.isHeld()).toBe(true);
  },
);

const asNobody = (lock: string) => {
  const mount = "mount -t proc -o hidepid=2 proc /proc";
  const command = [bunBinary(), RACER, lock, "/dev/null"].map((word) => `'${word}'`).join(" ");
  return ["-c", `${mount} && exec setpriv --reuid=65534 --clear-groups ${command}`];
};
const canHide =
  spawnSync("unshare", [
    "--mount",
    "sh",
    "-c",
    `mount -t proc -o hidepid=2 proc /proc && setpriv --reuid=65534 --clear-groups '${bunBinary()}' --version`,
  ]).status === 0;

test.skipIf(!canHide)("a lock whose holder is hidden from the user (hidepid) does not look dead", () => {
  chmodSync(folder, 0o777);
  const path = join(folder, "worker.lock");
  expect(tryLock(path, { label: "root" }).lock?.isHeld()).toBe(true);
  const out = execFileSync("unshare", ["--mount", "sh", ...asNobody(path)], { encoding: "utf8" });
  expect(out).toBe("ready\nlost\n");
});

test("is not held up by what lies in its place: a dangling link and a FIFO are replaced, a folder is named", () => {
  const link = join(folder, "link.lock");
  symlinkSync(join(folder, "nowhere"), link);
  expect(tryLock(link, { label: "me" }).lock?.isHeld()).toBe(true);
  const fifo = join(folder, "fifo.lock");
  execFileSync("mkfifo", [fifo]);
  expect(findLockHolder(fifo)).toBeUndefined();
  expect(tryLock(fifo, { label: "me" }).lock?.isHeld()).toBe(true);
  mkdirSync(join(folder, "folder.lock"));
  expect(() => tryLock(join(folder, "folder.lock"), { label: "me" })).toThrow(/is a folder.*move it away/);
});

test("hands on the claims of dead owners, so that what they left running can be ended", () => {
  const path = join(folder, "worker.lock");
  const dead = { ...ownIdentity(), startTime: "1", label: "dead", since: "x", claim: "c2", leftBy: ["c1"] };
  writeFileSync(path, JSON.stringify(dead));
  expect(tryLock(path, { label: "me" }).lock?.owner.leftBy).toEqual(["c1", "c2"]);
});
