// @module-tag long

import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import type { ChildIdentity } from "../../core/process-identity.ts";
import { findMarked, signalProcess } from "../../core/process-tree.ts";
import { cancelJob, retryJob } from "../../queue/change-job.ts";
import { runMark } from "../../worker/state/lease.ts";
import { bunBinary } from "../bun.ts";
import { hasPostgres } from "../postgres/find-postgres.ts";
import { waitFor } from "../wait-for.ts";
import { COMMIT, DONE, usePools } from "./use-pools.ts";

/** Stops every process of a run, also what one of them starts before its own turn comes. */
const freeze = (run: string): ChildIdentity[] => {
  const stopped = new Set<number>();
  for (;;) {
    const found = findMarked(run);
    if (found.every(({ pid }) => stopped.has(pid))) return found;
    for (const process of found) if (signalProcess(process, "SIGSTOP")) stopped.add(process.pid);
  }
};

describe.skipIf(!hasPostgres)("a pool", () => {
  const pools = usePools();

  /** The processes of a task's last run on this machine. */
  const processesOf = async (id: number) =>
    findMarked(runMark(pools.lab.queue.id, { task: id, token: (await pools.lab.task(id)).token }));

  test("runs a task in a clone of its own and pushes the result to a branch of that run", async () => {
    const repo = pools.lab.origin("atlas");
    const look: ScriptedStep = { do: "run", command: "echo ${DATABASE_URL:-not told} > database.txt" };
    pools.lab.worker("commits", [{ steps: [look, COMMIT, DONE] }]);
    const { id } = await pools.lab.add({ worker: "commits", repo });
    const pool = pools.lab.pool("a", { args: ["--until-idle"] });
    expect(await pool.end("SIGCONT")).toBe(0);
    const task = await pools.lab.task(id);
    expect(task).toMatchObject({
      state: "complete",
      verdict: "complete",
      reason: "DONE, and the gates are healthy",
    });
    expect(task.branch).toBe(`nightshift/${task.runName ?? ""}-${task.token}`);
    expect(pools.lab.git("atlas.git", "rev-parse", task.branch ?? "").trim()).toBe(task.head);
    expect(pools.lab.git("atlas.git", "show", `${task.branch ?? ""}:work.txt`)).toBe("1\n");
    expect(pools.lab.git("atlas.git", "show", `${task.branch ?? ""}:database.txt`)).toBe("not told\n");
    expect(existsSync(join(pools.lab.root, "a/.nightshift/pool/work", task.runName ?? ""))).toBe(false);
    expect(pool.output()).toContain(`task ${id} (${task.runName ?? ""}): complete`);
    expect(pool.output()).not.toContain(new URL(await pools.server.createDatabase()).password);
  });

  test("fetches again where a git was killed while it fetched", async () => {
    const repo = pools.lab.origin("atlas");
    pools.lab.worker("commits", [{ steps: [COMMIT, DONE] }]);
    await pools.lab.add({ worker: "commits", repo });
    expect(await pools.lab.pool("a", { args: ["--until-idle"] }).end("SIGCONT")).toBe(0);
    pools.lab.git("atlas-seed", "commit", "--quiet", "--allow-empty", "--message", "second");
    pools.lab.git("atlas-seed", "push", "--quiet", repo, "main");
    const clones = "a/.nightshift/pool/clones";
    const [clone = ""] = readdirSync(join(pools.lab.root, clones)).filter((name) => name.endsWith(".git"));
    pools.lab.write(join(clones, clone, "refs/remotes/origin/main.lock"), "");
    utimesSync(pools.lab.write(join(clones, clone, "packed-refs.lock"), ""), 1e9, 1e9);
    const { id } = await pools.lab.add({ worker: "commits", repo });
    expect(await pools.lab.pool("a", { args: ["--until-idle"] }).end("SIGCONT")).toBe(0);
    expect(await pools.lab.task(id)).toMatchObject({ state: "complete", attempts: 0 });
  });

  test("ends its work when it is killed, and another goes on from the last handoff with what was not committed", async () => {
    const repo = pools.lab.origin("atlas");
    pools.lab.worker("long", [
      {
        steps: [
          COMMIT,
          { do: "run", command: "echo half > half.txt" },
          { do: "say", text: "HANDOFF: the parser is half done" },
        ],
      },
      { steps: [{ do: "hang" }] },
    ]);
    const { id } = await pools.lab.add({ worker: "long", repo });
    const first = pools.lab.pool("a", { leaseSeconds: 60 });
    await pools.lab.until(
      id,
      "in its second session",
      ({ handoff, progress }) => handoff !== undefined && progress?.session === 2,
    );
    const old = await pools.lab.task(id);
    const oldRun = runMark(pools.lab.queue.id, { task: id, token: old.token });
    expect(findMarked(oldRun).length).toBeGreaterThan(0);
    await first.kill();
    await pools.lab.endLeases("a");
    await waitFor("the killed pool's work to end", () => findMarked(oldRun).length === 0);

    pools.lab.worker("long", [
      { steps: [{ do: "run", command: "test -f half.txt && git add -A && git commit -qm half" }, DONE] },
    ]);
    const second = pools.lab.pool("b");
    const task = await pools.lab.until(id, "complete", ({ state }) => state === "complete");
    expect(task).toMatchObject({ runHost: "b", attempts: 1 });
    expect(pools.lab.git("atlas.git", "ls-tree", "--name-only", task.branch ?? "").split("\n")).toEqual(
      expect.arrayContaining(["half.txt", "work.txt"]),
    );
    const events = pools.lab.read(`b/.workers/${task.runName ?? ""}.events.jsonl`);
    expect(events).toContain("the parser is half done");
    expect((await pools.lab.events(id)).map(({ kind }) => kind)).toEqual([
      "added",
      "taken",
      "lost",
      "taken",
      "publishing",
      "complete",
    ]);
    expect(await second.end("SIGTERM")).toBe(0);
  });

  test("does no harm when its whole host was frozen and comes back after another has done the task", async () => {
    const repo = pools.lab.origin("atlas");
    pools.lab.worker("slow", [
      { steps: [COMMIT, { do: "waitForFile", file: join(pools.lab.root, "go") }, COMMIT, DONE] },
    ]);
    const { id } = await pools.lab.add({ worker: "slow", repo });
    const frozen = pools.lab.pool("a");
    await pools.lab.until(id, "at work", ({ progress }) => progress?.session === 1);
    const run = runMark(pools.lab.queue.id, { task: id, token: (await pools.lab.task(id)).token });
    frozen.child.kill("SIGSTOP");
    const host = freeze(run);

    // On one machine the next run would end what the frozen one left: here the hosts are two, so it must not see it.
    pools.lab.worker("slow", [{ steps: [COMMIT, DONE] }]);
    const row = await pools.lab.queue.db.run(
      "UPDATE queue_settings SET value = reverse(value) WHERE name = 'id'",
    );
    expect(row).toBe(1);
    pools.lab.pool("b");
    const done = await pools.lab.until(id, "complete", ({ state }) => state === "complete");
    expect(findMarked(run).length).toBe(host.length);

    pools.lab.write("go", "");
    for (const process of host) signalProcess(process, "SIGCONT");
    frozen.child.kill("SIGCONT");
    await waitFor("the late host to end its work", () => findMarked(run).length === 0);
    await waitFor(
      "the late host to notice",
      () => frozen.output().includes(`task ${id}`) && /lease|another pool/.test(frozen.output()),
    );
    expect(await pools.lab.task(id)).toEqual(done);
    expect(pools.lab.git("atlas.git", "branch", "--list", "nightshift/*").trim()).toBe(done.branch);
    expect((await pools.lab.events(id)).map(({ kind }) => kind)).toEqual([
      "added",
      "taken",
      "lost",
      "taken",
      "publishing",
      "complete",
    ]);
  });

  test("ends work whose lease it cannot renew before anybody else may take it, and has it done again later", async () => {
    const dir = pools.lab.folder("shared");
    pools.lab.worker("hangs", [{ steps: [{ do: "hang" }] }]);
    const { id } = await pools.lab.add({ worker: "hangs", dir, isInPlace: true });
    const pool = pools.lab.pool("a");
    await pools.lab.until(id, "at work", ({ progress }) => progress?.session === 1);
    const run = runMark(pools.lab.queue.id, { task: id, token: (await pools.lab.task(id)).token });
    await pools.server.kill();
    await waitFor("the work to end", () => findMarked(run).length === 0);
    await pools.server.start();
    pools.lab.worker("hangs", [{ steps: [DONE] }]);
    const task = await pools.lab.until(id, "complete", ({ state }) => state === "complete");
    expect(task.attempts).toBe(1);
    expect(pool.output()).toContain("its lease could not be renewed in time");
    expect(await pool.end("SIGTERM")).toBe(0);
  });

  test("keeps work going by renewing its lease, and takes it along when it is killed, on Bun, too", async () => {
    const dir = pools.lab.folder("shared");
    pools.lab.worker("long", [{ steps: [{ do: "waitForFile", file: join(pools.lab.root, "go") }, DONE] }]);
    pools.lab.worker("hangs", [{ steps: [{ do: "hang" }] }]);
    const pool = pools.lab.pool("a", { runtime: bunBinary() });
    const { id } = await pools.lab.add({ worker: "long", dir, isInPlace: true });
    await pools.lab.until(id, "at work", ({ progress }) => progress?.session === 1);
    const name = `long-${id}-${pools.lab.queue.id.slice(0, 4)}`;
    const beat = () => statSync(join(pools.lab.root, "a/.workers", name, "heartbeat")).mtimeMs;
    const first = beat();
    await waitFor("the supervisor to answer a renewal", () => beat() > first);
    pools.lab.write("go", "");
    expect(await pools.lab.until(id, "complete", ({ state }) => state === "complete")).toMatchObject({
      attempts: 0,
    });
    const next = await pools.lab.add({ worker: "hangs", dir, isInPlace: true });
    await pools.lab.until(next.id, "at work", ({ progress }) => progress?.session === 1);
    const run = runMark(pools.lab.queue.id, { task: next.id, token: (await pools.lab.task(next.id)).token });
    await pool.kill();
    await waitFor("its work to end", () => findMarked(run).length === 0);
  });

  test("drains: takes nothing more, lets what runs end, hands over what does not end in time", async () => {
    const repo = pools.lab.origin("atlas");
    const busy: ScriptedStep = { do: "repeat", times: 5000, steps: [{ do: "wait", ms: 20 }] };
    pools.lab.worker("waits", [{ note: "HANDOFF: go on at line 7", steps: [COMMIT, busy] }]);
    const { id } = await pools.lab.add({ worker: "waits", repo });
    const pool = pools.lab.pool("a", { args: ["--drain-minutes", "0.01"] });
    await pools.lab.until(id, "at work", ({ progress }) => progress?.session === 1);
    const next = await pools.lab.add({ worker: "waits", repo });
    expect(await pool.end("SIGTERM")).toBe(0);
    const given = await pools.lab.task(id);
    expect(given).toMatchObject({ state: "ready", attempts: 0 });
    expect(given.handoff).toContain("go on at line 7");
    expect((await pools.lab.task(next.id)).token).toBe(0);
    pools.lab.worker("waits", [{ steps: [COMMIT, DONE] }]);
    expect(await pools.lab.pool("b", { slots: 2, args: ["--until-idle"] }).end("SIGCONT")).toBe(0);
    expect(await pools.lab.task(id)).toMatchObject({ state: "complete", runHost: "b" });
    expect(await pools.lab.task(next.id)).toMatchObject({ state: "complete", runHost: "b" });
  });

  test("stops a running task that is cancelled, and runs it again when it is retried", async () => {
    const repo = pools.lab.folder("atlas", { isRepository: true });
    const begun = join(pools.lab.root, "begun");
    pools.lab.worker("waits", [
      {
        steps: [
          { do: "run", command: `touch ${begun}` },
          { do: "waitForFile", file: join(pools.lab.root, "go") },
          COMMIT,
          DONE,
        ],
      },
    ]);
    const { id } = await pools.lab.add({ worker: "waits", dir: repo });
    const pool = pools.lab.pool("a");
    // A session that is stopped before its agent said a word does not count as one.
    await waitFor("the agent to be at work", () => existsSync(begun));
    await cancelJob(pools.lab.queue, id, { isNow: true });
    await pools.lab.until(id, "cancelled", ({ state }) => state === "cancelled");
    expect(await processesOf(id)).toEqual([]);
    pools.lab.write("go", "");
    await retryJob(pools.lab.queue, id, { isFresh: false });
    const task = await pools.lab.until(id, "complete", ({ state }) => state === "complete");
    expect(task.branch).toBe(`nightshift/${task.runName ?? ""}`);
    expect(pools.lab.git("atlas", "show", `${task.branch ?? ""}:work.txt`)).toBe("2\n");
    expect(task.progress?.session).toBe(2);
    expect(await pool.end("SIGTERM")).toBe(0);
  });

  test("starts over when that is asked for, on the same host, too", async () => {
    const dir = pools.lab.folder("plain");
    pools.lab.worker("fails", [{ steps: [{ do: "fail", message: "no such model" }] }], {
      limits: { sameErrors: 1 },
    });
    const { id } = await pools.lab.add({ worker: "fails", dir, isInPlace: true });
    const pool = pools.lab.pool("a");
    await pools.lab.until(id, "failed", ({ state }) => state === "failed");
    pools.lab.worker("fails", [{ steps: [DONE] }]);
    await retryJob(pools.lab.queue, id, { isFresh: true });
    const task = await pools.lab.until(id, "complete", ({ state }) => state === "complete");
    expect(task.progress?.session).toBe(1);
    expect(await pool.end("SIGTERM")).toBe(0);
  });

  test("fails a task that cannot be run, with the reason", async () => {
    const dir = pools.lab.folder("plain");
    pools.lab.worker("known", [{ steps: [{ do: "fail", message: "no such model" }] }], {
      limits: { sameErrors: 1 },
    });
    const [unknown, noPlace, failing] = [
      await pools.lab.add({ worker: "unknown", dir, isInPlace: true }),
      await pools.lab.add({ worker: "known", dir: join(dir, "absent"), host: "a", isInPlace: true }),
      await pools.lab.add({ worker: "known", dir, isInPlace: true }),
    ];
    expect(await pools.lab.pool("a", { args: ["--until-idle"] }).end("SIGCONT")).toBe(0);
    const reasons = await Promise.all(
      [unknown, noPlace, failing].map(async ({ id }) => (await pools.lab.task(id)).reason),
    );
    expect(reasons[0]).toContain("worker unknown is declared neither in");
    expect(reasons[1]).toContain("does not exist");
    expect(reasons[2]).toContain("the same error 1 time in a row: no such model");
  });
});
