import { AppError } from "../../../core/errors.ts";
import type { Postgres, Transaction } from "../../../db/postgres/postgres.ts";
import { runAwaiting, type Steps } from "../../../db/steps.ts";
import type { LearningIndex, Write } from "../store/store.ts";
import type { IndexChanges } from "./terms.ts";

/** One change inside the transaction of its batch. */
type Job = {
  run: (tx: Transaction, index: LearningIndex) => Promise<void>;
  done: () => void;
  failed: (error: unknown) => void;
};

/** The key of the advisory lock that the one writing server holds; any number that nobody else uses. */
const WRITE_LOCK = 4_105_927_733;
/** PostgreSQL keeps up to 64 savepoints of a transaction at hand. */
const MAX_BATCH = 50;
const MAX_WAITING = 2000;

/**
 * Changes learnings one after another, over all servers: the counts of terms are rows that every change
 * touches, so little could happen side by side, and this way no two can be in each other's way. What waits
 * while one batch is being committed is the next batch: one fsync for all of it.
 */
export const createWrite = (db: Postgres, createChanges: () => IndexChanges): Write => {
  const waiting: Job[] = [];
  let running: Promise<void> | undefined;

  const runAll = async (): Promise<void> => {
    while (waiting.length > 0) await runBatch(db, createChanges, waiting.splice(0, MAX_BATCH));
    running = undefined;
  };

  return <T>(change: (index: LearningIndex) => Steps<T>) =>
    new Promise<T>((resolve, reject) => {
      if (waiting.length >= MAX_WAITING) {
        reject(
          new AppError("unavailable", `${MAX_WAITING} changes of the memory wait already; try again`, {
            details: { retryAfterSeconds: 2 },
          }),
        );
        return;
      }
      let result: { value: T } | undefined;
      waiting.push({
        run: async (tx, index) => {
          result = { value: await runAwaiting(tx, change(index)) };
        },
        done: () => {
          if (result) resolve(result.value);
        },
        failed: reject,
      });
      running ??= runAll();
    });
};

const runBatch = async (
  db: Postgres,
  createChanges: () => IndexChanges,
  jobs: readonly Job[],
): Promise<void> => {
  let failures = new Map<Job, unknown>();
  try {
    await db.transaction(async (tx) => {
      failures = new Map();
      // Not waited for: what the first job sends behind it runs behind it.
      const locked = tx.run("SELECT pg_advisory_xact_lock($1)", [WRITE_LOCK]);
      locked.catch(() => {});
      const changes = createChanges();
      for (const job of jobs) {
        const part = createChanges();
        try {
          await (jobs.length === 1 ? job.run(tx, part) : tx.savepoint(() => job.run(tx, part)));
          changes.include(part);
        } catch (error) {
          // Without the lock nothing behind it could run, which says less than why there was none.
          await locked;
          if (jobs.length === 1 || !(error instanceof AppError)) throw error;
          failures.set(job, error);
        }
      }
      await changes.write(tx);
    });
  } catch (error) {
    // Nothing of this batch is there. What the database refuses of one change must not fail the others.
    if (jobs.length > 1 && !(error instanceof AppError))
      for (const job of jobs) await runBatch(db, createChanges, [job]);
    else for (const job of jobs) job.failed(error);
    return;
  }
  for (const job of jobs)
    if (failures.has(job)) job.failed(failures.get(job));
    else job.done();
};
