import { withoutUndefined } from "../../core/without-undefined.ts";
import type { WorkerState } from "../state/worker-state.ts";

/** What may be changed of a running worker, by `worker adjust` or from the Night page. */
export type Adjustment = {
  max?: number | undefined;
  task?: string | undefined;
  model?: string | undefined;
  budgetUsd?: number | undefined;
};

export const adjustState = (
  state: WorkerState,
  { max, task, model, budgetUsd }: Adjustment,
): WorkerState => ({
  ...state,
  ...withoutUndefined({ max, task, model }),
  ...(budgetUsd === undefined ? {} : { limits: { ...state.limits, costUsd: budgetUsd } }),
});
