import { type Claimer, claimJob } from "./claim-job.ts";
import { forgetJobs } from "./forget-jobs.ts";
import { finishRun, giveBack, noteRun, renewLeases } from "./hold-lease.ts";
import { ENDED_STATES, type GiveBack, type Lease, type Renewal, type RunEnd, type RunNote } from "./job.ts";
import { beginPublishing, beginWork, claimOutbox, leaveOutbox, notePublishing } from "./publish-run.ts";
import { QUEUE_CHANNEL, type Queue } from "./queue.ts";
import { sweepLeases } from "./sweep.ts";

/**
 * The queue of a database, as pools know it. What carries a lease fails with an AppError `conflict` when that lease is
 * lost, and everything with `unavailable` while the database cannot answer.
 */
export const createPostgresStore = (queue: Queue) => ({
  /** tells this queue from every other one: part of the names and marks of its workers */
  id: queue.id,
  /** the address without the password, for people */
  target: queue.db.target,
  /** the next task for a host; undefined when there is nothing to do */
  claim: (claimer: Claimer) => claimJob(queue, claimer),
  /** what a pool of this host that is gone has not published */
  claimOutbox: (claimer: Claimer) => claimOutbox(queue, claimer),
  beginWork: (lease: Lease) => beginWork(queue, lease),
  renew: (renewals: readonly Renewal[], leaseMs: number) => renewLeases(queue, renewals, leaseMs),
  note: (lease: Lease, note: RunNote) => noteRun(queue, lease, note),
  beginPublishing: (lease: Lease, end: RunEnd & RunNote) => beginPublishing(queue, lease, end),
  notePublishing: (lease: Lease, why: string) => notePublishing(queue, lease, why),
  leaveOutbox: (lease: Lease) => leaveOutbox(queue, lease),
  finish: (lease: Lease, end: RunEnd & RunNote) => finishRun(queue, lease, end),
  giveBack: (lease: Lease, back: GiveBack & RunNote) => giveBack(queue, lease, back),
  /** @returns the tasks whose lease ran out and that were taken back */
  sweep: () => sweepLeases(queue),
  /** @returns how many were forgotten */
  forget: (keepMs: number) => forgetJobs(queue, keepMs),
  /** those of these tasks that have not ended */
  findOpen: async (ids: readonly number[]): Promise<number[]> =>
    (
      await queue.db.all<{ id: number }>(
        "SELECT id FROM queue_tasks WHERE id = ANY($1) AND NOT state = ANY($2)",
        [ids, ENDED_STATES],
      )
    ).map(({ id }) => id),
  /** told when pools should look: something is ready, or is to be stopped */
  listen: async ({ onReady, onCancel }: { onReady: () => void; onCancel: () => void }): Promise<void> => {
    await queue.db.listen(QUEUE_CHANNEL, {
      onMessage: (payload) => (payload === "cancel" ? onCancel() : onReady()),
      onGap: onReady,
    });
  },
});

export type JobStore = ReturnType<typeof createPostgresStore>;
