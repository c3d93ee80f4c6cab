import { withoutUndefined } from "../../core/without-undefined.ts";
import type { RunHead } from "../../client/server-client.ts";
import { projectName } from "../state/project-name.ts";
import type { WorkerState } from "../state/worker-state.ts";

/** Which run it is, and what of it changes as it goes on. */
export const runHead = (state: WorkerState): RunHead => ({
  // Only a state of an older version has none, and of those nobody tells.
  id: state.run ?? "",
  project: projectName(state).slice(0, 200),
  startedAt: state.sessions[0]?.startedAt ?? state.startedAt,
  ...(state.context?.windowTokens === undefined ? {} : { windowTokens: state.context.windowTokens }),
  contextLimitPercent: Math.min(100, state.limits.contextPercent),
  ...withoutUndefined({ budgetUsd: state.limits.costUsd, waitingUntil: state.waitingUntil }),
  ...(state.waitingFor === undefined ? {} : { waitingFor: state.waitingFor.slice(0, 400) }),
});
