import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSilentLog } from "../server/log.ts";
import { hasPostgres } from "../test/postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../test/postgres/start-postgres.ts";
import { addTask, type NewTask } from "./add-task.ts";
import { cancelTask, retryTask } from "./change-task.ts";
import { claimTask } from "./claim-task.ts";
import { forgetTasks } from "./forget-tasks.ts";
import { listEvents } from "./events.ts";
import { finishRun, giveBack, noteRun, renewLeases } from "./hold-lease.ts";
import { openQueue } from "./open-queue.ts";
import type { Queue } from "./queue.ts";
import { getRow, toTask } from "./rows.ts";
import { sweepLeases } from "./sweep.ts";
import type { Claim } from "./task.ts";

const DONE = { state: "complete", reason: "DONE", verdict: "complete" } as const;
const FAILED = { state: "failed", reason: "max-reached: 10 sessions used", verdict: "max-reached" } as const;

describe.skipIf(!hasPostgres)("the queue", () => {
  let server: TestPostgres;
  let template: string;
  let queue: Queue;
  const open = (url: string) => openQueue({ url, poolSize: 8, waitMs: 5_000 }, { log: createSilentLog() });

  beforeAll(async () => {
    server = await startPostgres();
    template = await server.createTemplate(async (url) => {
      const made = await open(url);
      await made.engine.ensureChannel("any");
      await made.close();
    });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    queue = await open(await server.createDatabase(template));
  });
  afterEach(() => queue.close());

  const add = (change: Partial<NewTask> = {}) =>
    addTask(queue, {
      worker: "docs",
      task: "fix the links",
      repo: "https://git.example/atlas.git",
      dir: undefined,
      host: undefined,
      isInPlace: false,
      priority: 0,
      after: [],
      maxAttempts: 3,
      ...change,
    });
  const claim = (host = "a", leaseMs = 60_000) => claimTask(queue, { pool: `pool-${host}`, host, leaseMs });
  const taken = async (host?: string, leaseMs?: number): Promise<Claim> => {
    const found = await claim(host, leaseMs);
    if (!found) throw new Error("nothing to take");
    return found;
  };
  const task = async (id: number) => toTask(await getRow(queue.db, id));
  /** Lets every lease run out, as the clock of the database sees it. */
  const expire = () =>
    queue.db.run("UPDATE queue_tasks SET lease_until = now() - interval '1 second' WHERE state = 'running'");

  test("hands out the highest priority first, then the oldest, across the channels of all hosts and one", async () => {
    const low = await add({ priority: -1 });
    const first = await add();
    const second = await add();
    const here = await add({ host: "a", dir: "/srv/x", repo: undefined, priority: 5 });
    const elsewhere = await add({ host: "b", dir: "/srv/x", repo: undefined, priority: 9 });
    const order = [await taken(), await taken(), await taken(), await taken()].map(({ task }) => task.id);
    expect(order).toEqual([here.id, first.id, second.id, low.id]);
    expect(await claim()).toBeUndefined();
    expect((await taken("b")).task.id).toBe(elsewhere.id);
  });

  test("hands every task to exactly one of many that ask at once", async () => {
    const ids = (await Promise.all(Array.from({ length: 20 }, () => add()))).map(({ id }) => id);
    const asked = await Promise.all(Array.from({ length: 30 }, (_, index) => claim(`h${index % 3}`)));
    const got = asked.flatMap((one) => (one ? [one.task.id] : []));
    expect(got.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });

  test("lets a task run only when those it comes after ended complete", async () => {
    const a = await add();
    const b = await add();
    const last = await add({ after: [a.id, b.id] });
    expect(last).toMatchObject({
      state: "waiting",
      reason: `for tasks ${a.id}, ${b.id}`,
      after: [a.id, b.id],
    });
    const runs = [await taken(), await taken()];
    expect(await claim()).toBeUndefined();
    // Both end at the same moment: neither may overlook the other.
    await Promise.all(runs.map(({ lease }) => finishRun(queue, lease, DONE)));
    expect((await taken()).task.id).toBe(last.id);
    await expect(add({ after: [999] })).rejects.toThrow("the queue has no task 999 to come after");
  });

  test("blocks what comes after a failure, with its reason, until that is retried", async () => {
    const first = await add();
    const second = await add({ after: [first.id] });
    const third = await add({ after: [second.id] });
    await finishRun(queue, (await taken()).lease, FAILED);
    expect(await task(second.id)).toMatchObject({
      state: "blocked",
      reason: `task ${first.id} ended failed: max-reached: 10 sessions used`,
    });
    expect((await task(third.id)).reason).toContain(
      `task ${second.id} is blocked: task ${first.id} ended failed`,
    );
    await expect(retryTask(queue, second.id, { isFresh: false })).rejects.toThrow("is blocked");
    await retryTask(queue, first.id, { isFresh: false });
    expect(await task(second.id)).toMatchObject({ state: "waiting", reason: `for task ${first.id}` });
    await finishRun(queue, (await taken()).lease, DONE);
    await finishRun(queue, (await taken()).lease, DONE);
    expect((await taken()).task.id).toBe(third.id);
  });

  test("lets one task at a time into a directory, whoever asks", async () => {
    const inPlace = { dir: "/srv/shared", repo: undefined, isInPlace: true };
    const ids = (await Promise.all(Array.from({ length: 6 }, () => add(inPlace)))).map(({ id }) => id);
    const order: number[] = [];
    while (order.length < ids.length) {
      const asked = await Promise.all(["a", "b", "c"].map((host) => claim(host)));
      const runs = asked.flatMap((one) => (one ? [one] : []));
      expect(runs).toHaveLength(1);
      for (const { lease, task } of runs) {
        order.push(task.id);
        await finishRun(queue, lease, order.length % 2 === 0 ? DONE : FAILED);
      }
    }
    expect(order.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });

  test("refuses everything from a host that comes back after its lease was taken over", async () => {
    const { id } = await add();
    const late = await taken("a");
    await noteRun(queue, late.lease, { snapshot: '{"sessions":1}', handoff: "begun" });
    await expire();
    expect(await sweepLeases(queue)).toEqual([id]);
    const heir = await taken("b");
    expect(heir).toMatchObject({ snapshot: '{"sessions":1}', previousToken: late.lease.token });
    expect(heir.lease.token).toBeGreaterThan(late.lease.token);

    expect(await renewLeases(queue, [{ lease: late.lease, progress: undefined }], 60_000)).toEqual([]);
    await expect(noteRun(queue, late.lease, { handoff: "late" })).rejects.toThrow("is lost");
    await expect(finishRun(queue, late.lease, FAILED)).rejects.toThrow("is lost");
    await expect(giveBack(queue, late.lease, { why: "late", isBroken: false })).rejects.toThrow("is lost");

    await finishRun(queue, heir.lease, { ...DONE, branch: "nightshift/docs-1" });
    await finishRun(queue, heir.lease, { ...DONE, branch: "nightshift/docs-1" }); // its first answer was lost
    expect(await task(id)).toMatchObject({ state: "complete", handoff: "begun", attempts: 1 });
    const ends = (await listEvents(queue.db, id)).filter(({ kind }) => kind === "complete");
    expect(ends).toHaveLength(1);
  });

  test("goes by the database's clock: a lease holds while it is renewed, and is taken back once", async () => {
    const { id } = await add();
    const { lease } = await taken("a", 60_000);
    expect(await sweepLeases(queue)).toEqual([]);
    expect(await renewLeases(queue, [{ lease, progress: undefined }], 60_000)).toEqual([
      { lease, cancel: undefined },
    ]);
    await expire();
    const swept = await Promise.all([sweepLeases(queue), sweepLeases(queue), sweepLeases(queue)]);
    expect(swept.flat()).toEqual([id]);
  });

  test("fails a task whose runs break off again and again, and says why", async () => {
    const { id } = await add({ maxAttempts: 2 });
    for (let run = 0; run < 2; run++) {
      await taken();
      await expire();
      await sweepLeases(queue);
    }
    expect(await task(id)).toMatchObject({
      state: "failed",
      reason: "2 runs broke off; the last one: pool pool-a on a was not heard from in time",
    });
  });

  test("cancels at once what nobody runs, and has a running one stopped", async () => {
    const [ready, after] = [await add(), await add()];
    const behind = await add({ after: [ready.id] });
    expect(await cancelTask(queue, ready.id, { isNow: false })).toMatchObject({ state: "cancelled" });
    expect(await task(behind.id)).toMatchObject({ state: "blocked" });
    await expect(cancelTask(queue, ready.id, { isNow: false })).rejects.toThrow(
      "has ended already: cancelled",
    );
    const { lease, task: running } = await taken();
    expect(running.id).toBe(after.id);
    expect(await cancelTask(queue, after.id, { isNow: true })).toMatchObject({ state: "running" });
    expect(await renewLeases(queue, [{ lease, progress: undefined }], 60_000)).toEqual([
      { lease, cancel: "now" },
    ]);
    await expire(); // its host died before it could stop it
    await sweepLeases(queue);
    expect(await task(after.id)).toMatchObject({ state: "cancelled" });
    expect(await claim()).toBeUndefined();
  });

  describe("forgets", () => {
    const DAY_MS = 86_400_000;
    const age = (days: number, ...ids: number[]) =>
      queue.db.run(
        "UPDATE queue_tasks SET ended_at = now() - $1 * interval '1 day' WHERE id = ANY($2::bigint[])",
        [days, ids],
      );
    const end = async (end: Parameters<typeof finishRun>[2]): Promise<number> => {
      const { lease } = await taken();
      await finishRun(queue, lease, end);
      return lease.task;
    };
    const left = async () =>
      (await queue.db.all<{ id: number }>("SELECT id FROM queue_tasks ORDER BY id")).map(({ id }) => id);

    test("what ended longer ago than it is to be kept, with its events, and nothing that has not ended", async () => {
      for (let count = 0; count < 5; count++) await add();
      const [done, failed, recent] = [await end(DONE), await end(FAILED), await end(DONE)];
      const running = (await taken()).task;
      const ready = (await claim("b"))?.task.id ?? 0;
      await giveBack(
        queue,
        { task: ready, token: (await task(ready)).token },
        { why: "full", isBroken: false },
      );
      await age(31, done, failed);
      await age(29, recent);
      expect(await forgetTasks(queue, 30 * DAY_MS)).toBe(2);
      expect(await left()).toEqual([recent, running.id, ready]);
      expect(await listEvents(queue.db, done)).toEqual([]);
      expect(await forgetTasks(queue, 30 * DAY_MS)).toBe(0);
    });

    test("a task only when no other needs its end any more, and a whole chain of ended ones", async () => {
      const [first, failed] = [(await add()).id, (await add()).id];
      const waits = (await add({ after: [first, failed] })).id;
      await end(DONE);
      await end(FAILED);
      await age(90, first, failed);
      expect(await task(waits)).toMatchObject({ state: "blocked" });
      expect(await forgetTasks(queue, 30 * DAY_MS)).toBe(0);
      await cancelTask(queue, waits, { isNow: false });
      // Cancelled, it may be retried, and must then still come after a failure.
      expect(await forgetTasks(queue, 30 * DAY_MS)).toBe(0);
      await retryTask(queue, waits, { isFresh: false });
      expect(await task(waits)).toMatchObject({ state: "blocked" });
      await cancelTask(queue, waits, { isNow: false });
      await age(31, waits);
      expect(await forgetTasks(queue, 30 * DAY_MS)).toBe(3);
      expect(await left()).toEqual([]);
    });

    test("nothing twice, and nothing that a task is just being added to, when many do it at once", async () => {
      for (let count = 0; count < 250; count++) await add();
      await queue.db.run("UPDATE queue_tasks SET state = 'complete', ended_at = now() - interval '1 year'");
      const [before = 0] = await left();
      const [counts, behind] = await Promise.all([
        Promise.all(Array.from({ length: 4 }, () => forgetTasks(queue, DAY_MS))),
        Promise.allSettled(Array.from({ length: 20 }, (_, nth) => add({ after: [before + 249 - nth] }))),
      ]);
      const added = behind.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      for (const { id } of added) expect((await task(id)).after).toHaveLength(1);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(250 - added.length);
    });
  });

  test("keeps what was added, and wakes whoever listens, over a killed database", async () => {
    const { id } = await add();
    await server.kill();
    await expect(add()).rejects.toMatchObject({ code: "unavailable" });
    await server.start();
    expect((await taken()).task.id).toBe(id);
  });
});
