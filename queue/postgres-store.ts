import { claimJob } from "./claim-job.ts";
import { forgetJobs } from "./forget-jobs.ts";
import { finishRun, giveBack, noteRun, renewLeases } from "./hold-lease.ts";
import { beginPublishing, beginWork, claimOutbox, leaveOutbox, notePublishing } from "./publish-run.ts";
import { QUEUE_CHANNEL, type Queue } from "./queue.ts";
import { sweepLeases } from "./sweep.ts";
import { ENDED_STATES } from "./job.ts";
import type { JobStore } from "./job-store.ts";

/** The queue of a database, as pools know it. */
export const createPostgresStore = (queue: Queue): JobStore => ({
  id: queue.id,
  target: queue.db.target,
  claim: (claimer) => claimJob(queue, claimer),
  claimOutbox: (claimer) => claimOutbox(queue, claimer),
  beginWork: (lease) => beginWork(queue, lease),
  renew: (renewals, leaseMs) => renewLeases(queue, renewals, leaseMs),
  note: (lease, note) => noteRun(queue, lease, note),
  beginPublishing: (lease, end) => beginPublishing(queue, lease, end),
  notePublishing: (lease, why) => notePublishing(queue, lease, why),
  leaveOutbox: (lease) => leaveOutbox(queue, lease),
  finish: (lease, end) => finishRun(queue, lease, end),
  giveBack: (lease, back) => giveBack(queue, lease, back),
  sweep: () => sweepLeases(queue),
  forget: (keepMs) => forgetJobs(queue, keepMs),
  findOpen: async (ids) =>
    (
      await queue.db.all<{ id: number }>(
        "SELECT id FROM queue_tasks WHERE id = ANY($1) AND NOT state = ANY($2)",
        [ids, ENDED_STATES],
      )
    ).map(({ id }) => id),
  listen: async ({ onReady, onCancel }) => {
    await queue.db.listen(QUEUE_CHANNEL, {
      onMessage: (payload) => (payload === "cancel" ? onCancel() : onReady()),
      onGap: onReady,
    });
  },
});
