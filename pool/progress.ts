import type { WorkerState } from "../worker/state/worker-state.ts";
import type { JobProgress } from "../queue/job.ts";

/** What the queue shows of a worker. */
export const progressOf = ({ status, session, max, context, costUsd, tokens }: WorkerState): JobProgress => ({
  status,
  session,
  max,
  ...(context?.percent === undefined ? {} : { contextPercent: context.percent }),
  costUsd,
  tokens,
});
