import type { Transaction } from "../db/postgres/postgres.ts";
import { type Need, decideReadiness } from "./decide-job.ts";
import { channelOf, type Engine } from "./engine.ts";
import { QUEUE_CHANNEL } from "./queue.ts";
import type { JobState } from "./job.ts";

type Waiting = {
  id: number;
  state: JobState;
  reason: string | null;
  directory: string | null;
  host: string | null;
  priority: number;
};

/** A delivery that is held back for a while, and why. */
export type Later = { seconds: number; why: string };

/** Ends at the transaction's end; everything about one directory is decided by one at a time. */
export const lockDirectory = async (tx: Transaction, directory: string | null): Promise<void> => {
  if (directory !== null)
    await tx.run("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `nightshift directory ${directory}`,
    ]);
};

/**
 * Brings a waiting or blocked task to where it belongs now, and delivers it when it is ready; then the tasks
 * that come after it. @returns whether it changed
 */
export const settleJob = async (
  tx: Transaction,
  engine: Engine,
  id: number,
  later?: Later,
): Promise<void> => {
  const found = await tx.get<{ directory: string | null }>(
    "SELECT directory FROM queue_tasks WHERE id = $1",
    [id],
  );
  if (!found) return;
  await lockDirectory(tx, found.directory);
  // Locked first and looked at then: of two that end at the same moment, the second sees the first.
  const task = await tx.get<Waiting>(
    "SELECT id, state, reason, directory, host, priority FROM queue_tasks WHERE id = $1 AND state IN ('waiting', 'blocked') FOR UPDATE",
    [id],
  );
  if (!task) return;
  const needs = await tx.all<Need>(
    "SELECT id, state, reason FROM queue_tasks WHERE id IN (SELECT needs FROM queue_needs WHERE task = $1) ORDER BY id",
    [id],
  );
  const holder =
    task.directory === null
      ? undefined
      : await tx.get<{ id: number }>(
          "SELECT id FROM queue_tasks WHERE directory = $1 AND state = 'running'",
          [task.directory],
        );
  const { state, reason } = decideReadiness(needs, holder?.id);
  if (state === "ready") await deliver(tx, engine, task, later);
  else if (state !== task.state || reason !== task.reason)
    await tx.run("UPDATE queue_tasks SET state = $2, reason = $3 WHERE id = $1", [id, state, reason]);
  if (state !== task.state) await settleAfter(tx, engine, id);
};

const deliver = async (
  tx: Transaction,
  engine: Engine,
  { id, host, priority }: Waiting,
  later: Later | undefined,
): Promise<void> => {
  const delivery = await engine.send(tx, {
    channel: channelOf(host ?? undefined),
    task: id,
    priority,
    delaySeconds: later?.seconds ?? 0,
  });
  await tx.run("UPDATE queue_tasks SET state = 'ready', reason = $3, delivery = $2 WHERE id = $1", [
    id,
    delivery,
    later ? `again ${later.seconds} s after: ${later.why}` : null,
  ]);
  await tx.notify(QUEUE_CHANNEL, "ready");
};

/** The tasks that come after one whose state has changed. */
export const settleAfter = async (tx: Transaction, engine: Engine, id: number): Promise<void> => {
  const dependents = await tx.all<{ task: number }>(
    "SELECT task FROM queue_needs WHERE needs = $1 ORDER BY task",
    [id],
  );
  for (const { task } of dependents) await settleJob(tx, engine, task);
};

/** Lets the next one into a directory that has become free. */
export const settleDirectory = async (
  tx: Transaction,
  engine: Engine,
  directory: string | null,
): Promise<void> => {
  if (directory === null) return;
  const next = await tx.get<{ id: number }>(
    `SELECT id FROM queue_tasks t WHERE directory = $1 AND state = 'waiting' AND NOT EXISTS
       (SELECT 1 FROM queue_needs n JOIN queue_tasks o ON o.id = n.needs WHERE n.task = t.id AND o.state <> 'complete')
     ORDER BY priority DESC, id LIMIT 1`,
    [directory],
  );
  if (next) await settleJob(tx, engine, next.id);
};
