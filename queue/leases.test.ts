import { describe, expect, test } from "vitest";
import { eventually } from "../test/eventually.ts";
import { hasPostgres } from "../test/postgres/find-postgres.ts";
import { listEvents } from "./events.ts";
import { DONE, FAILED, useQueue } from "./fixtures/use-queue.ts";
import { finishRun, giveBack, noteRun, renewLeases } from "./hold-lease.ts";
import { sweepLeases } from "./sweep.ts";

describe.skipIf(!hasPostgres)("the leases of the queue", () => {
  const lab = useQueue();

  test("refuses everything from a host that comes back after its lease was taken over", async () => {
    const { id } = await lab.add();
    const late = await lab.taken("a");
    await noteRun(lab.queue, late.lease, { snapshot: '{"sessions":1}', handoff: "begun" });
    await lab.expire();
    expect(await sweepLeases(lab.queue)).toEqual([id]);
    const heir = await lab.taken("b");
    expect(heir).toMatchObject({ snapshot: '{"sessions":1}' });
    expect(heir.lease.token).toBeGreaterThan(late.lease.token);

    expect(await renewLeases(lab.queue, [{ lease: late.lease, progress: undefined }], 60_000)).toEqual([]);
    await expect(noteRun(lab.queue, late.lease, { handoff: "late" })).rejects.toThrow("is lost");
    await expect(finishRun(lab.queue, late.lease, FAILED)).rejects.toThrow("is lost");
    await expect(giveBack(lab.queue, late.lease, { why: "late", how: "given back" })).rejects.toThrow(
      "is lost",
    );

    await finishRun(lab.queue, heir.lease, { ...DONE, branch: "nightshift/docs-1" });
    await finishRun(lab.queue, heir.lease, { ...DONE, branch: "nightshift/docs-1" }); // its first answer was lost
    expect(await lab.task(id)).toMatchObject({ state: "complete", handoff: "begun", attempts: 1 });
    const ends = (await listEvents(lab.queue.db, id)).filter(({ kind }) => kind === "complete");
    expect(ends).toHaveLength(1);
  });

  test("goes by the database's clock: a lease holds while it is renewed, and is taken back once", async () => {
    const { id } = await lab.add();
    const { lease } = await lab.taken("a", 60_000);
    expect(await sweepLeases(lab.queue)).toEqual([]);
    expect(await renewLeases(lab.queue, [{ lease, progress: undefined }], 60_000)).toEqual([
      { lease, cancel: undefined },
    ]);
    await lab.expire();
    const swept = await Promise.all([sweepLeases(lab.queue), sweepLeases(lab.queue), sweepLeases(lab.queue)]);
    expect(swept.flat()).toEqual([id]);
  });

  test("fails a task whose runs break off again and again, and says why", async () => {
    const { id } = await lab.add({ maxAttempts: 2 });
    for (let run = 0; run < 2; run++) {
      await lab.taken();
      await lab.expire();
      await sweepLeases(lab.queue);
    }
    expect(await lab.task(id)).toMatchObject({
      state: "failed",
      reason: "2 runs broke off; the last one: pool pool-a on a was not heard from in time",
    });
  });

  test("gives a task back at once and uncounted when its run did not break off, whatever broke off before", async () => {
    const { id } = await lab.add({ maxAttempts: 2 });
    const { lease } = await lab.taken();
    await lab.queue.db.run("UPDATE queue_tasks SET attempts = 2 WHERE id = $1", [id]);
    await giveBack(lab.queue, lease, { why: "the pool drains", how: "given back" });
    expect((await lab.taken()).task).toMatchObject({ id, attempts: 2, state: "running" });
  });

  test("leaves a lease alone that is renewed while it is being taken back", async () => {
    const { id } = await lab.add();
    const { lease } = await lab.taken();
    await lab.expire();
    let sweeping: Promise<number[]> | undefined;
    await lab.queue.db.transaction(async (tx) => {
      await tx.run("UPDATE queue_tasks SET lease_until = now() + interval '1 minute' WHERE id = $1", [id]);
      sweeping = sweepLeases(lab.queue);
      await eventually(async () =>
        lab.queue.db.all(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        ),
      ).toHaveLength(1);
    });
    expect(await sweeping).toEqual([]);
    expect(await lab.task(id)).toMatchObject({ state: "running", attempts: 0, token: lease.token });
  });
});
