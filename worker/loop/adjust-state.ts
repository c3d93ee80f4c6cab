import type { WorkerState } from "../state/worker-state.ts";

/** What `worker adjust` may change of a running worker. */
export type Adjustment = {
  max?: number | undefined;
  task?: string | undefined;
  model?: string | undefined;
};

export const adjustState = (state: WorkerState, { max, task, model }: Adjustment): WorkerState => ({
  ...state,
  ...(max === undefined ? {} : { max }),
  ...(task === undefined ? {} : { task }),
  ...(model === undefined ? {} : { model }),
});
