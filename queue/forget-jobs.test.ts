import { describe, expect, test } from "vitest";
import { hasPostgres } from "../test/postgres/find-postgres.ts";
import { cancelJob, retryJob } from "./change-job.ts";
import { forgetJobs } from "./forget-jobs.ts";
import { listEvents } from "./events.ts";
import { DONE, FAILED, useQueue } from "./fixtures/use-queue.ts";
import { finishRun, giveBack } from "./hold-lease.ts";

describe.skipIf(!hasPostgres)("what the queue forgets", () => {
  const lab = useQueue();

  const DAY_MS = 86_400_000;
  const age = (days: number, ...ids: number[]) =>
    lab.queue.db.run(
      "UPDATE queue_tasks SET ended_at = now() - $1 * interval '1 day' WHERE id = ANY($2::bigint[])",
      [days, ids],
    );
  const end = async (end: Parameters<typeof finishRun>[2]): Promise<number> => {
    const { lease } = await lab.taken();
    await finishRun(lab.queue, lease, end);
    return lease.task;
  };
  const left = async () =>
    (await lab.queue.db.all<{ id: number }>("SELECT id FROM queue_tasks ORDER BY id")).map(({ id }) => id);

  test("what ended longer ago than it is to be kept, with its events, and nothing that has not ended", async () => {
    for (let count = 0; count < 5; count++) await lab.add();
    const [done, failed, recent] = [await end(DONE), await end(FAILED), await end(DONE)];
    const running = (await lab.taken()).task;
    const ready = (await lab.claim("b"))?.task.id ?? 0;
    await giveBack(
      lab.queue,
      { task: ready, token: (await lab.task(ready)).token },
      { why: "full", how: "given back" },
    );
    await age(31, done, failed);
    await age(29, recent);
    expect(await forgetJobs(lab.queue, 30 * DAY_MS)).toBe(2);
    expect(await left()).toEqual([recent, running.id, ready]);
    expect(await listEvents(lab.queue.db, done)).toEqual([]);
    expect(await forgetJobs(lab.queue, 30 * DAY_MS)).toBe(0);
  });

  test("a task only when no other needs its end any more, and a whole chain of ended ones", async () => {
    const [first, failed] = [(await lab.add()).id, (await lab.add()).id];
    const waits = (await lab.add({ after: [first, failed] })).id;
    await end(DONE);
    await end(FAILED);
    await age(90, first, failed);
    expect(await lab.task(waits)).toMatchObject({ state: "blocked" });
    expect(await forgetJobs(lab.queue, 30 * DAY_MS)).toBe(0);
    await cancelJob(lab.queue, waits, { isNow: false });
    // Cancelled, it may be retried, and must then still come after a failure.
    expect(await forgetJobs(lab.queue, 30 * DAY_MS)).toBe(0);
    await retryJob(lab.queue, waits, { isFresh: false });
    expect(await lab.task(waits)).toMatchObject({ state: "blocked" });
    await cancelJob(lab.queue, waits, { isNow: false });
    await age(31, waits);
    expect(await forgetJobs(lab.queue, 30 * DAY_MS)).toBe(3);
    expect(await left()).toEqual([]);
  });

  test("nothing twice, and nothing that a task is just being added to, when many do it at once", async () => {
    for (let count = 0; count < 250; count++) await lab.add();
    await lab.queue.db.run("UPDATE queue_tasks SET state = 'complete', ended_at = now() - interval '1 year'");
    const [before = 0] = await left();
    const [counts, behind] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => forgetJobs(lab.queue, DAY_MS))),
      Promise.allSettled(Array.from({ length: 20 }, (_, nth) => lab.add({ after: [before + 249 - nth] }))),
    ]);
    const added = behind.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    for (const { id } of added) expect((await lab.task(id)).after).toHaveLength(1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(250 - added.length);
  });
});
