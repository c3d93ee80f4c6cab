import type { Clock } from "../core/clock.ts";
import type { JobStore } from "../queue/postgres-store.ts";
import type { Machine } from "./machine.ts";

/** What a pool tells whoever watches it. */
export type PoolEvent = {
  at: string;
  type:
    | "ready"
    | "taken"
    | "working"
    | "session"
    | "publishing"
    | "ended"
    | "given back"
    | "broken off"
    | "lost"
    | "problem"
    | "draining"
    | "forgotten"
    | "idle";
  task?: number;
  worker?: string;
  message: string;
};

export type Tell = (event: Omit<PoolEvent, "at">) => void;

export type PoolPorts = {
  clock: Clock;
  /** the uptime of the machine: leases are counted by it */
  uptimeMs: () => number;
  store: JobStore;
  machine: Machine;
  tell: Tell;
};

export type PoolSettings = {
  /** tells it from other pools of this host */
  name: string;
  host: string;
  slots: number;
  leaseMs: number;
  /** how long the queue remembers a task after its end */
  keepMs: number;
  /** how long running tasks may go on once it drains */
  drainMs: number;
  /** how long the place of a task may take to be ready */
  prepareMs: number;
  /** after how long without a sign of life a supervisor hangs */
  patienceMs: number;
  /** how often it asks for work, and how often it looks at a worker */
  pollMs: number;
  lookMs: number;
  /** end when there is nothing left to take */
  isUntilIdle: boolean;
};

export const POOL_TIMES = { prepareMs: 1_800_000, patienceMs: 60_000, pollMs: 2_000, lookMs: 500 };
