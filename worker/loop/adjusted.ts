import type { WorkerState } from "../state/worker-state.ts";

/** What `worker adjust` may change of a loop that runs. */
export type Adjustment = { max?: number; task?: string; model?: string };

/** The state with what was asked for. */
export const adjusted = (state: WorkerState, { max, task, model }: Adjustment): WorkerState => ({
  ...state,
  ...(max === undefined ? {} : { max }),
  ...(task === undefined ? {} : { task }),
  ...(model === undefined ? {} : { model }),
});
