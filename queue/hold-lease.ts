import { AppError } from "../core/errors.ts";
import type { Transaction } from "../db/postgres/postgres.ts";
import { recordEvent } from "./events.ts";
import type { Queue } from "./queue.ts";
import { lockDirectory, settleAfter, settleDirectory, settleTask } from "./settle.ts";
import { ENDED_STATES, type Lease, type TaskProgress, type TaskState } from "./task.ts";

export type Renewal = { lease: Lease; progress: TaskProgress | undefined };
export type Renewed = { lease: Lease; cancel: "gently" | "now" | undefined };

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
     WHERE t.id = p.task AND t.token = p.token AND t.state = 'running' RETURNING t.id, t.token, t.cancel`,
    [
      renewals.map(({ lease }) => lease.task),
      renewals.map(({ lease }) => lease.token),
      renewals.map(({ progress }) => (progress ? JSON.stringify(progress) : "")),
      leaseMs,
    ],
  );
  return rows.map(({ id, token, cancel }) => ({ lease: { task: id, token }, cancel: cancel ?? undefined }));
};

/** What a run leaves in the queue at the end of each session, for whoever goes on with it. */
export type RunNote = {
  runName?: string | undefined;
  snapshot?: string | undefined;
  handoff?: string | undefined;
  branch?: string | undefined;
  head?: string | undefined;
  /** empty when nothing is uncommitted any more */
  rescue?: string | undefined;
  progress?: TaskProgress | undefined;
};

const NOTE = `run_name = coalesce($3, run_name), snapshot = coalesce($4, snapshot), handoff = coalesce($5, handoff),
  branch = coalesce($6, branch), head = coalesce($7, head), rescue = nullif(coalesce($8, rescue), ''),
  progress = coalesce($9, progress)`;

const noteValues = ({ task, token }: Lease, note: RunNote) => [
  task,
  token,
  note.runName ?? null,
  note.snapshot ?? null,
  note.handoff ?? null,
  note.branch ?? null,
  note.head ?? null,
  note.rescue ?? null,
  note.progress ? JSON.stringify(note.progress) : null,
];

const stale = ({ task, token }: Lease): AppError =>
  new AppError(
    "conflict",
    `the lease of task ${task} is lost: run ${token} is no longer the one that counts`,
  );

/** @throws AppError `conflict` when the lease is lost */
export const noteRun = async ({ db }: Queue, lease: Lease, note: RunNote): Promise<void> => {
  const changed = await db.run(
    `UPDATE queue_tasks SET ${NOTE} WHERE id = $1 AND token = $2 AND state = 'running'`,
    noteValues(lease, note),
  );
  if (changed === 0) throw stale(lease);
};

export type RunEnd = {
  state: "complete" | "unverified" | "failed" | "cancelled";
  reason: string;
  verdict: string;
};

/**
 * Ends a task with the result of its run, once. Repeating it after a lost answer is no error.
 * @throws AppError `conflict` when the lease is lost
 */
export const finishRun = (queue: Queue, lease: Lease, end: RunEnd & RunNote): Promise<void> =>
  leaving(queue, lease, async (tx) => {
    const changed = await tx.run(
      `UPDATE queue_tasks SET ${NOTE}, state = $10, reason = $11, verdict = $12, lease_until = NULL, cancel = NULL,
         ended_at = now() WHERE id = $1 AND token = $2 AND state = 'running'`,
      [...noteValues(lease, end), end.state, end.reason, end.verdict],
    );
    if (changed === 0) return false;
    await recordEvent(tx, lease.task, { kind: end.state, token: lease.token, text: end.reason });
    await settleAfter(tx, queue.engine, lease.task);
    return true;
  });

export type GiveBack = {
  why: string;
  /** the run broke off (`isLost`: with its host); too many of those fail the task */
  isBroken: boolean;
  isLost?: boolean;
  delaySeconds?: number;
};

/**
 * Gives a task back for another pool, or this one later, with what its run leaves.
 * @throws AppError `conflict` when the lease is lost
 */
export const giveBack = (queue: Queue, lease: Lease, back: GiveBack & RunNote): Promise<void> =>
  leaving(queue, lease, async (tx) => {
    const changed = await tx.run(
      `UPDATE queue_tasks SET ${NOTE} WHERE id = $1 AND token = $2 AND state = 'running'`,
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
  leave: (tx: Transaction) => Promise<boolean>,
): Promise<void> =>
  db.transaction(async (tx) => {
    const found = await tx.get<{ directory: string | null }>(
      "SELECT directory FROM queue_tasks WHERE id = $1",
      [lease.task],
    );
    await lockDirectory(tx, found?.directory ?? null);
    if (await leave(tx)) return settleDirectory(tx, engine, found?.directory ?? null);
    const now = await tx.get<{ token: number; state: TaskState }>(
      "SELECT token, state FROM queue_tasks WHERE id = $1",
      [lease.task],
    );
    // The first answer was lost, the change was not.
    if (now?.token === lease.token && ENDED_STATES.includes(now.state)) return undefined;
    throw stale(lease);
  });

type Broken = { attempts: number; max_attempts: number; cancel: string | null };

/** A run that ended without a result: the task is ready again, or has failed, or was to be cancelled anyway. */
export const breakOff = async (
  tx: Transaction,
  { engine }: Pick<Queue, "engine">,
  lease: Lease,
  { why, isBroken, isLost = false, delaySeconds = 0 }: GiveBack,
): Promise<void> => {
  const row = await tx.get<Broken>(
    `UPDATE queue_tasks SET attempts = attempts + $2, lease_until = NULL, delivery = NULL, state = 'waiting', reason = NULL
     WHERE id = $1 RETURNING attempts, max_attempts, cancel`,
    [lease.task, isBroken ? 1 : 0],
  );
  if (!row) return;
  await recordEvent(tx, lease.task, {
    kind: isLost ? "lost" : isBroken ? "broken off" : "given back",
    token: lease.token,
    text: why,
  });
  const isSpent = isBroken && row.attempts >= row.max_attempts;
  if (row.cancel !== null || isSpent) {
    const state = row.cancel === null ? "failed" : "cancelled";
    const reason = row.cancel === null ? `${row.attempts} runs broke off; the last one: ${why}` : "cancelled";
    await tx.run(
      "UPDATE queue_tasks SET state = $2, reason = $3, cancel = NULL, ended_at = now() WHERE id = $1",
      [lease.task, state, reason],
    );
    await recordEvent(tx, lease.task, { kind: state, token: lease.token, text: reason });
    await settleAfter(tx, engine, lease.task);
    return;
  }
  const seconds = Math.max(delaySeconds, backoffSeconds(row.attempts, isBroken));
  await settleTask(tx, engine, lease.task, seconds > 0 ? { seconds, why } : undefined);
};

const backoffSeconds = (attempts: number, isBroken: boolean): number =>
  isBroken && attempts > 1 ? Math.min(300, 5 * 2 ** (attempts - 2)) : 0;
