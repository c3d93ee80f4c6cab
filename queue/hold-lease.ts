import type { Transaction } from "../db/postgres/postgres.ts";
import { type AfterBreak, decideBreak } from "./decide-job.ts";
import { recordEvent } from "./events.ts";
import type { Queue } from "./queue.ts";
import { NOTE, noteValues, staleLease } from "./run-note.ts";
import { lockDirectory, settleAfter, settleDirectory, settleJob } from "./settle.ts";
import type { GiveBack, Lease, Renewal, Renewed, RunEnd, RunNote, JobState } from "./job.ts";

/** Renews every lease of a pool in one statement. Those that are missing in the answer are lost. */
export const renewLeases = async (
  { db }: Queue,
  renewals: readonly Renewal[],
  leaseMs: number,
): Promise<Renewed[]> => {
  const rows = await db.all<{ id: number; token: number; cancel: "gently" | "now" | null }>(
    `UPDATE queue_tasks t SET lease_until = now() + $4 * interval '1 millisecond',
       progress = coalesce(nullif(p.progress, ''), t.progress)
     FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS p (task, token, progress)
     WHERE t.id = p.task AND t.token = p.token AND t.state IN ('running', 'publishing')
     RETURNING t.id, t.token, t.cancel`,
    [
      renewals.map(({ lease }) => lease.task),
      renewals.map(({ lease }) => lease.token),
      renewals.map(({ progress }) => (progress ? JSON.stringify(progress) : "")),
      leaseMs,
    ],
  );
  return rows.map(({ id, token, cancel }) => ({ lease: { task: id, token }, cancel: cancel ?? undefined }));
};

/** @throws AppError `conflict` when the lease is lost */
export const noteRun = async ({ db }: Queue, lease: Lease, note: RunNote): Promise<void> => {
  const changed = await db.run(
    `UPDATE queue_tasks SET ${NOTE} WHERE id = $1 AND token = $2 AND state IN ('running', 'publishing')`,
    noteValues(lease, note),
  );
  if (changed === 0) throw staleLease(lease);
};

/**
 * Ends a task with the result of its run, once. Repeating it after a lost answer is no error.
 * @throws AppError `conflict` when the lease is lost
 */
export const finishRun = (queue: Queue, lease: Lease, end: RunEnd & RunNote): Promise<void> =>
  leaving(queue, lease, [end.state], async (tx) => {
    const changed = await tx.run(
      `UPDATE queue_tasks SET ${NOTE}, state = $10, reason = $11, verdict = $12, phase = NULL, outcome = NULL,
         lease_until = NULL, cancel = NULL, ended_at = now() WHERE id = $1 AND token = $2 AND state IN ('running', 'publishing')`,
      [...noteValues(lease, end), end.state, end.reason, end.verdict],
    );
    if (changed === 0) return false;
    await recordEvent(tx, lease.task, { kind: end.state, token: lease.token, text: end.reason });
    await settleAfter(tx, queue.engine, lease.task);
    return true;
  });

/**
 * Gives a task back for another pool, or this one later, with what its run leaves.
 * @throws AppError `conflict` when the lease is lost
 */
export const giveBack = (queue: Queue, lease: Lease, back: GiveBack & RunNote): Promise<void> =>
  leaving(queue, lease, ["failed", "cancelled"], async (tx) => {
    const changed = await tx.run(
      `UPDATE queue_tasks SET ${NOTE} WHERE id = $1 AND token = $2 AND state IN ('running', 'publishing')`,
      noteValues(lease, back),
    );
    if (changed === 0) return false;
    await breakOff(tx, queue, lease, back);
    return true;
  });

/** Leaves a run: the directory is free for the next one in the same transaction. */
const leaving = async (
  { db, engine }: Queue,
  lease: Lease,
  /** how the task stands when the change was made, and only its answer was lost */
  after: readonly JobState[],
  leave: (tx: Transaction) => Promise<boolean>,
): Promise<void> =>
  db.transaction(async (tx) => {
    const found = await tx.get<{ directory: string | null }>(
      "SELECT directory FROM queue_tasks WHERE id = $1",
      [lease.task],
    );
    await lockDirectory(tx, found?.directory ?? null);
    if (await leave(tx)) return settleDirectory(tx, engine, found?.directory ?? null);
    const now = await tx.get<{ token: number; state: JobState }>(
      "SELECT token, state FROM queue_tasks WHERE id = $1",
      [lease.task],
    );
    if (now?.token === lease.token && after.includes(now.state)) return undefined;
    throw staleLease(lease);
  });

type Row = {
  attempts: number;
  max_attempts: number;
  setbacks: number;
  stuck_ms: number;
  cancel: string | null;
};

/** A run that ended without a result: `decideBreak` says what becomes of its task. */
export const breakOff = async (
  tx: Transaction,
  { engine }: Pick<Queue, "engine">,
  lease: Lease,
  back: GiveBack,
): Promise<void> => {
  const row = await tx.get<Row>(
    `SELECT attempts, max_attempts, setbacks, cancel,
       coalesce(EXTRACT(EPOCH FROM now() - stuck_since) * 1000, 0)::bigint AS stuck_ms FROM queue_tasks WHERE id = $1`,
    [lease.task],
  );
  if (!row) return;
  const after = decideBreak(
    {
      attempts: row.attempts,
      maxAttempts: row.max_attempts,
      setbacks: row.setbacks,
      stuckMs: row.stuck_ms,
      cancel: row.cancel,
    },
    back,
  );
  await writeBreak(tx, lease, back, after);
  if (after.state !== "waiting") return settleAfter(tx, engine, lease.task);
  const { delaySeconds } = after;
  return settleJob(
    tx,
    engine,
    lease.task,
    delaySeconds > 0 ? { seconds: delaySeconds, why: back.why } : undefined,
  );
};

const writeBreak = async (
  tx: Transaction,
  { task, token }: Lease,
  { how, why }: GiveBack,
  after: AfterBreak,
): Promise<void> => {
  const isOver = after.state !== "waiting";
  await tx.run(
    `UPDATE queue_tasks SET state = $2, reason = $3, attempts = $4, setbacks = $5, delivery = NULL, phase = NULL,
       outcome = NULL, lease_until = NULL,
       stuck_since = CASE WHEN $6 THEN coalesce(stuck_since, now()) ELSE stuck_since END,
       cancel = CASE WHEN $7 THEN NULL ELSE cancel END, ended_at = CASE WHEN $7 THEN now() END WHERE id = $1`,
    [
      task,
      after.state,
      isOver ? after.reason : null,
      after.attempts,
      after.setbacks,
      how === "not prepared",
      isOver,
    ],
  );
  await recordEvent(tx, task, { kind: how, token, text: why });
  if (isOver) await recordEvent(tx, task, { kind: after.state, token, text: after.reason });
};
