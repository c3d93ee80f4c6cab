import type { Queue } from "./queue.ts";
import { ENDED_STATES } from "./job.ts";

const AT_ONCE = 100;

/**
 * Ended for long enough, and of no use to any other task. One that another came after is kept for as long as
 * that other one may still run, be it that somebody retries it: without it, it would run whatever its
 * forerunner's end was.
 */
const FORGETTABLE = `state = ANY($1) AND ended_at < now() - $2 * interval '1 millisecond' AND NOT EXISTS
  (SELECT 1 FROM queue_needs n JOIN queue_tasks later ON later.id = n.task
   WHERE n.needs = t.id AND later.state <> 'complete')`;

/**
 * Removes tasks that ended longer ago than `keepMs` by the clock of the database, with their events. Every pool
 * does this; what somebody else is changing at this moment is left for the next time.
 * @returns how many
 */
export const forgetJobs = async ({ db }: Queue, keepMs: number): Promise<number> => {
  const ended = [ENDED_STATES, keepMs] as const;
  for (let forgotten = 0; ;) {
    const removed = await db.transaction(async (tx) => {
      const held = await tx.all<{ id: number }>(
        `SELECT id FROM queue_tasks t WHERE ${FORGETTABLE} ORDER BY ended_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED`,
        ended,
      );
      // Asked again behind the locks: a task that was added meanwhile to come after one of them counts.
      return tx.run(`DELETE FROM queue_tasks t WHERE ${FORGETTABLE} AND id = ANY($3)`, [
        ...ended,
        held.map(({ id }) => id),
      ]);
    });
    if (removed === 0) return forgotten;
    forgotten += removed;
  }
};
