import type { WorkerState } from "../worker/state/worker-state.ts";
import type { Claim, Lease, RunNote } from "../queue/job.ts";

/** What a pool does on its machine. What it decides knows nothing else of it, and is tried out on another one. */
export type Machine = {
  /** why nothing more should be taken now; undefined while there is room */
  findShortage: () => string | undefined;
  /** ends what killed pools and supervisors of this machine left running */
  endOldRuns: () => Promise<void>;
  /** forgets what ended long ago; `findOpen` says which of some tasks have not ended */
  forgetOldRuns: (findOpen: (ids: readonly number[]) => Promise<number[]>) => Promise<void>;
  /** ends every process of any run of a task */
  endTask: (task: number) => Promise<void>;
  /** ends every process of one run, its supervisor included */
  endRun: (lease: Lease, graceMs: number) => Promise<void>;
  /** @throws AppError for a folder, repository or config that cannot be worked with */
  prepare: (claim: Claim, signal: AbortSignal) => Promise<PreparedRun>;
  /** the result of an earlier pool's run that is still to be published; undefined when it is here no more */
  findResult: (claim: Claim) => Promise<Result | undefined>;
};

/** The place of a run, ready to be worked in. */
export type PreparedRun = {
  problem: string | undefined;
  /** the worker had come to its end, and only its report was cut off: nothing is done twice */
  unreported: WorkerState | undefined;
  /** whether there is something to go on from */
  isResumed: boolean;
  /** starts its supervisor; `until` is when the lease ends, by the uptime of the machine */
  start: (until: number) => Promise<Work>;
  result: Result;
};

/** What a run has made, on its way to where others find it. */
export type Result = {
  /** whether others find it only once it is pushed */
  isLocal: boolean;
  /** says what there is by now, and brings it where others find it; `problem` says why it could not */
  publish: (state: WorkerState | undefined, signal: AbortSignal) => Promise<RunNote & { problem?: string }>;
  /** after the end: what is safe elsewhere need not lie here */
  tidy: () => Promise<void>;
};

/** A supervisor at work. */
export type Work = {
  /** what it has written down last */
  state: () => WorkerState;
  /** changes with each sign of life */
  heartbeat: () => number;
  /** the lease holds until then */
  renew: (until: number) => void;
  /** tells it that its lease is lost */
  cut: () => void;
  stop: (isNow: boolean) => void;
  /** resolves when the process is gone */
  exited: Promise<void>;
};
