import type { Clock } from "../../core/clock.ts";
import type { Environment } from "../../core/paths.ts";
import type { Queue } from "../queue.ts";

/** What a pool tells whoever watches it. */
export type PoolEvent = {
  at: string;
  type:
    | "ready"
    | "taken"
    | "working"
    | "session"
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

export type PoolPorts = {
  clock: Clock;
  env: Environment;
  /** folder whose config declares workers that a task's own does not */
  cwd: string;
  /** where workers keep their state */
  workersHome: string;
  /** where clones and work trees lie */
  poolHome: string;
  queue: Queue;
  tell: (event: Omit<PoolEvent, "at">) => void;
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
  minFreeMemoryBytes: number;
  minFreeDiskBytes: number;
  /** end when there is nothing left to take */
  isUntilIdle: boolean;
};
