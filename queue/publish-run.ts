import type { Transaction } from "../db/postgres/postgres.ts";
import type { Claimer } from "./claim-job.ts";
import { recordEvent } from "./events.ts";
import type { Queue } from "./queue.ts";
import { getRow, toClaim } from "./rows.ts";
import { NOTE, noteValues, staleLease } from "./run-note.ts";
import type { Lease, Publication, RunEnd, RunNote } from "./job.ts";

/**
 * Its worker has come to its end: the task is in the outbox of its host until the result is where others find it.
 * However often that fails, it costs no attempt, and no session runs again. Repeating it is no error.
 * @throws AppError `conflict` when the lease is lost
 */
export const beginPublishing = (
  { db }: Queue,
  lease: Lease,
  { state, reason, verdict, ...note }: RunEnd & RunNote,
): Promise<void> =>
  db.transaction(async (tx) => {
    const changed = await tx.run(
      `UPDATE queue_tasks SET ${NOTE}, state = 'publishing', phase = NULL, verdict = $10, outcome = $11,
         reason = 'its result is being pushed' WHERE id = $1 AND token = $2 AND state IN ('running', 'publishing')`,
      [...noteValues(lease, note), verdict, JSON.stringify({ state, reason, verdict })],
    );
    if (changed === 0) throw staleLease(lease);
    await recordEvent(tx, lease.task, { kind: "publishing", token: lease.token, text: reason });
  });

/**
 * Says why the result is not published yet. @throws AppError `conflict` when the task has left the outbox
 */
export const notePublishing = async ({ db }: Queue, { task, token }: Lease, why: string): Promise<void> => {
  const changed = await db.run(
    "UPDATE queue_tasks SET reason = $3 WHERE id = $1 AND token = $2 AND state = 'publishing'",
    [task, token, why],
  );
  if (changed === 0) throw staleLease({ task, token });
};

/** Lets another pool of this host go on with it at once. */
export const leaveOutbox = async ({ db }: Queue, { task, token }: Lease): Promise<void> => {
  await db.run(
    "UPDATE queue_tasks SET lease_until = now() WHERE id = $1 AND token = $2 AND state = 'publishing'",
    [task, token],
  );
};

/** Takes over what a pool of this host that is gone has not published. The run and its token stay the same. */
export const claimOutbox = (
  { db }: Queue,
  { pool, host, leaseMs }: Claimer,
): Promise<Publication | undefined> =>
  db.transaction(async (tx: Transaction) => {
    const found = await tx.get<{ id: number }>(
      `SELECT id FROM queue_tasks WHERE state = 'publishing' AND run_host = $1 AND lease_until <= now()
       ORDER BY lease_until LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [host],
    );
    if (!found) return undefined;
    await tx.run(
      "UPDATE queue_tasks SET pool = $2, lease_until = now() + $3 * interval '1 millisecond' WHERE id = $1",
      [found.id, pool, leaseMs],
    );
    const row = await getRow(tx, found.id);
    return { claim: toClaim(row), end: JSON.parse(row.outcome ?? "null") as RunEnd };
  });

/** The place is ready: what could not be prepared before counts no more. @throws AppError `conflict` */
export const beginWork = async ({ db }: Queue, { task, token }: Lease): Promise<void> => {
  const changed = await db.run(
    `UPDATE queue_tasks SET phase = 'working', setbacks = 0, stuck_since = NULL
     WHERE id = $1 AND token = $2 AND state = 'running'`,
    [task, token],
  );
  if (changed === 0) throw staleLease({ task, token });
};
