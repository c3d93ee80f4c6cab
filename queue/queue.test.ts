import { describe, expect, test } from "vitest";
import { hasPostgres } from "../test/postgres/find-postgres.ts";
import { cancelJob, retryJob } from "./change-job.ts";
import { DONE, FAILED, useQueue } from "./fixtures/use-queue.ts";
import { finishRun, renewLeases } from "./hold-lease.ts";
import { sweepLeases } from "./sweep.ts";

describe.skipIf(!hasPostgres)("the queue", () => {
  const lab = useQueue();

  test("hands out the highest priority first, then the oldest, across the channels of all hosts and one", async () => {
    const low = await lab.add({ priority: -1 });
    const first = await lab.add();
    const second = await lab.add();
    const here = await lab.add({ host: "a", dir: "/srv/x", repo: undefined, priority: 5 });
    const elsewhere = await lab.add({ host: "b", dir: "/srv/x", repo: undefined, priority: 9 });
    const order = [await lab.taken(), await lab.taken(), await lab.taken(), await lab.taken()].map(
      ({ task }) => task.id,
    );
    expect(order).toEqual([here.id, first.id, second.id, low.id]);
    expect(await lab.claim()).toBeUndefined();
    expect((await lab.taken("b")).task.id).toBe(elsewhere.id);
  });

  test("hands every task to exactly one of many that ask at once", async () => {
    const ids = (await Promise.all(Array.from({ length: 20 }, () => lab.add()))).map(({ id }) => id);
    const asked = await Promise.all(Array.from({ length: 30 }, (_, index) => lab.claim(`h${index % 3}`)));
    const got = asked.flatMap((one) => (one ? [one.task.id] : []));
    expect(got.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });

  test("lets a task run only when those it comes after ended complete", async () => {
    const a = await lab.add();
    const b = await lab.add();
    const last = await lab.add({ after: [a.id, b.id] });
    expect(last).toMatchObject({
      state: "waiting",
      reason: `for tasks ${a.id}, ${b.id}`,
      after: [a.id, b.id],
    });
    const runs = [await lab.taken(), await lab.taken()];
    expect(await lab.claim()).toBeUndefined();
    // Both end at the same moment: neither may overlook the other.
    await Promise.all(runs.map(({ lease }) => finishRun(lab.queue, lease, DONE)));
    expect((await lab.taken()).task.id).toBe(last.id);
    await expect(lab.add({ after: [999] })).rejects.toThrow("the queue has no task 999 to come after");
  });

  test("blocks what comes after a failure, with its reason, until that is retried", async () => {
    const first = await lab.add();
    const second = await lab.add({ after: [first.id] });
    const third = await lab.add({ after: [second.id] });
    await finishRun(lab.queue, (await lab.taken()).lease, FAILED);
    expect(await lab.task(second.id)).toMatchObject({
      state: "blocked",
      reason: `task ${first.id} ended failed: out of sessions: 10 sessions used`,
    });
    expect((await lab.task(third.id)).reason).toContain(
      `task ${second.id} is blocked: task ${first.id} ended failed`,
    );
    await expect(retryJob(lab.queue, second.id, { isFresh: false })).rejects.toThrow("is blocked");
    await retryJob(lab.queue, first.id, { isFresh: false });
    expect(await lab.task(second.id)).toMatchObject({ state: "waiting", reason: `for task ${first.id}` });
    await finishRun(lab.queue, (await lab.taken()).lease, DONE);
    await finishRun(lab.queue, (await lab.taken()).lease, DONE);
    expect((await lab.taken()).task.id).toBe(third.id);
  });

  test("lets one task at a time into a directory, whoever asks", async () => {
    const inPlace = { dir: "/srv/shared", repo: undefined, isInPlace: true };
    const ids = (await Promise.all(Array.from({ length: 6 }, () => lab.add(inPlace)))).map(({ id }) => id);
    const order: number[] = [];
    while (order.length < ids.length) {
      const asked = await Promise.all(["a", "b", "c"].map((host) => lab.claim(host)));
      const runs = asked.flatMap((one) => (one ? [one] : []));
      expect(runs).toHaveLength(1);
      for (const { lease, task } of runs) {
        order.push(task.id);
        await finishRun(lab.queue, lease, order.length % 2 === 0 ? DONE : FAILED);
      }
    }
    expect(order.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  });

  test("cancels at once what nobody runs, and has a running one stopped", async () => {
    const [ready, after] = [await lab.add(), await lab.add()];
    const behind = await lab.add({ after: [ready.id] });
    expect(await cancelJob(lab.queue, ready.id, { isNow: false })).toMatchObject({ state: "cancelled" });
    expect(await lab.task(behind.id)).toMatchObject({ state: "blocked" });
    await expect(cancelJob(lab.queue, ready.id, { isNow: false })).rejects.toThrow(
      "has ended already: cancelled",
    );
    const { lease, task: running } = await lab.taken();
    expect(running.id).toBe(after.id);
    expect(await cancelJob(lab.queue, after.id, { isNow: true })).toMatchObject({ state: "running" });
    expect(await renewLeases(lab.queue, [{ lease, progress: undefined }], 60_000)).toEqual([
      { lease, cancel: "now" },
    ]);
    await lab.expire(); // its host died before it could stop it
    await sweepLeases(lab.queue);
    expect(await lab.task(after.id)).toMatchObject({ state: "cancelled" });
    expect(await lab.claim()).toBeUndefined();
  });

  test("keeps what was added, and wakes whoever listens, over a killed database", async () => {
    const { id } = await lab.add();
    await lab.server.kill();
    await expect(lab.add()).rejects.toMatchObject({ code: "unavailable" });
    await lab.server.start();
    expect((await lab.taken()).task.id).toBe(id);
  });
});
