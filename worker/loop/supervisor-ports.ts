import type { Driver } from "../../agents/driver.ts";
import type { Clock } from "../../core/clock.ts";
import type { SessionPorts } from "../session/session-ports.ts";
import type { WorkerState } from "../state/worker-state.ts";
import type { LocksPort } from "./locks-port.ts";
import type { StartRequest } from "./start-request.ts";

/** What a supervisor needs of the world. */
export type SupervisorPorts = {
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
  fetch: typeof fetch;
  home: string;
  /** when this run was asked for, unless the request says it, in milliseconds since the epoch: what was asked before was asked of another */
  sinceMs: number;
  /** the driver of an agent id; throws an `AppError` when it cannot be found */
  getDriver: (agent: string, settings: StartRequest["agents"][string]) => Promise<Driver>;
  renderer: SessionPorts["renderer"];
  /** told once, when locks are held and the state is written */
  onStarted: (state: WorkerState) => void;
  /** told each line of the worker's log */
  onLine?: (text: string) => void;
  /** first abort: stop gracefully; second: at once */
  signals: { stop: AbortSignal; stopNow: AbortSignal };
  locks: LocksPort;
};
