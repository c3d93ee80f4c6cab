import type { Driver } from "../../agents/driver.ts";
import type { WorkerState } from "../state/worker-state.ts";

type Switch = { driver: Driver; agent: string | undefined; model: string | undefined };

/** The state of a worker that goes on with another agent or model; a model of the old agent means nothing to the new one. */
export const switchAgent = (state: WorkerState, { driver, agent, model }: Switch): WorkerState => {
  const next = { ...state };
  if (agent !== undefined) {
    next.agent = agent;
    next.agentTitle = driver.title;
    next.isScripted = driver.isScripted === true;
    delete next.model;
  }
  if (model !== undefined) next.model = model;
  return next;
};
