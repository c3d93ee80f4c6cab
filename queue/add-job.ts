import { AppError } from "../core/errors.ts";
import { channelOf } from "./engine.ts";
import { recordEvent } from "./events.ts";
import type { Queue } from "./queue.ts";
import { getRow, toJob } from "./rows.ts";
import { settleJob } from "./settle.ts";
import type { Job } from "./job.ts";

export type NewJob = Pick<
  Job,
  "worker" | "task" | "repo" | "dir" | "host" | "isInPlace" | "priority" | "maxAttempts"
> & {
  /** tasks that must have ended complete before */
  after: readonly number[];
};

/** What two tasks that may not run at the same time have in common. */
export const directoryOf = ({ dir, host, isInPlace }: NewJob): string | null =>
  dir !== undefined && isInPlace ? `${host ?? "every host"}:${dir}` : null;

/**
 * Puts a task into the queue; it is there when this resolves.
 * @throws AppError `not-found` for a task in `after` that is not there
 */
export const addJob = async ({ db, engine }: Queue, added: NewJob): Promise<Job> => {
  await engine.ensureChannel(channelOf(added.host));
  const after = [...new Set(added.after)];
  return db.transaction(async (tx) => {
    const there = await tx.all<{ id: number }>(
      "SELECT id FROM queue_tasks WHERE id = ANY($1) ORDER BY id FOR SHARE",
      [after],
    );
    const missing = after.filter((id) => !there.some((found) => found.id === id));
    if (missing.length > 0)
      throw new AppError("not-found", `the queue has no task ${missing.join(", ")} to come after`);
    const row = await tx.get<{ id: number }>(
      `INSERT INTO queue_tasks (worker, task, repo, dir, host, is_in_place, directory, priority, state, max_attempts)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'waiting', $9) RETURNING id`,
      [
        added.worker,
        added.task,
        added.repo ?? null,
        added.dir ?? null,
        added.host ?? null,
        added.isInPlace,
        directoryOf(added),
        added.priority,
        added.maxAttempts,
      ],
    );
    if (!row) throw new Error("an insert returned no row");
    for (const needs of after)
      await tx.run("INSERT INTO queue_needs (task, needs) VALUES ($1, $2)", [row.id, needs]);
    await recordEvent(tx, row.id, { kind: "added" });
    await settleJob(tx, engine, row.id);
    return toJob(await getRow(tx, row.id));
  });
};
