import { type Next, RATE_LIMIT, outageWords } from "./decide-next.ts";
import type { Wait } from "../session/try-again.ts";
import type { StateKeeper } from "../state/state-keeper.ts";
import type { WorkerState } from "../state/worker-state.ts";
import type { WorkerLog } from "../state/worker-log.ts";

type Ports = { keeper: StateKeeper; log: Pick<WorkerLog, "line" | "event">; isStopping: () => boolean };

const setStatus = ({ keeper, log, isStopping }: Ports, status: "waiting" | "running"): void => {
  const from = keeper.state.status;
  if (isStopping() || from === status) return;
  keeper.setStatus(status);
  log.event("status", { from, to: status });
};

/** Shows a worker as waiting, for what and until when. */
export const beginWait = (ports: Ports, { reason, untilMs }: Wait): void => {
  const until = new Date(untilMs).toISOString();
  ports.keeper.update((state) => ({ ...state, waitingUntil: until, waitingFor: reason }));
  setStatus(ports, "waiting");
  ports.log.line(`waiting for ${reason} until ${until}`);
};

export const endWait = (ports: Ports): void => {
  ports.keeper.update((state) => {
    const rest = { ...state };
    delete rest.waitingUntil;
    delete rest.waitingFor;
    return rest;
  });
  setStatus(ports, "running");
};

/** A step of a session waits for an outage to pass, or goes on after one. */
export const showOutage = (ports: Ports, wait: Wait | undefined): void =>
  wait ? beginWait(ports, { ...wait, reason: outageWords(wait.reason) }) : endWait(ports);

/** What a supervisor begins with: a session, or the wait that the one before it was in. */
export const firstNext = (
  { waitingUntil: until, waitingFor: reason = RATE_LIMIT }: WorkerState,
  now: number,
): Next =>
  until && Date.parse(until) > now
    ? { kind: "wait", untilMs: Date.parse(until), reason, remarks: [] }
    : { kind: "continue", pauseMs: 0, remarks: [] };
