import type { WorkerStatus } from "../core/worker-status.ts";

/**
 * `waiting`: for tasks it comes after, or for its directory. `blocked`: one of those did not end complete.
 * `ready`: delivered to the next pool with room. `publishing`: its worker has come to its end, and the result
 * is still on that host alone. The last four are ends.
 */
export type JobState =
  | "waiting"
  | "blocked"
  | "ready"
  | "running"
  | "publishing"
  | "complete"
  | "unverified"
  | "failed"
  | "cancelled";

export const JOB_STATES: readonly JobState[] = [
  "waiting",
  "blocked",
  "ready",
  "running",
  "publishing",
  "complete",
  "unverified",
  "failed",
  "cancelled",
];

/** Those of a task that runs no more, unless somebody retries it. */
export const ENDED_STATES: readonly JobState[] = ["complete", "unverified", "failed", "cancelled"];

/** What a running task's pool is at: making its place ready (which has a deadline), or working in it. */
export type JobPhase = "preparing" | "working";

/** What a pool says of a running task with every renewal of its lease. */
export type JobProgress = {
  status: WorkerStatus;
  session: number;
  max: number;
  contextPercent?: number;
  costUsd: number;
  tokens: number;
};

/** A task of the queue. Times are milliseconds since the epoch by the clock of the database. */
export type Job = {
  id: number;
  worker: string;
  task: string;
  repo: string | undefined;
  dir: string | undefined;
  /** the only host that may run it; any without it */
  host: string | undefined;
  /** works in `dir` itself, so only one at a time may */
  isInPlace: boolean;
  priority: number;
  state: JobState;
  /** of a running task */
  phase: JobPhase | undefined;
  reason: string | undefined;
  /** how the worker ended, in its own words */
  verdict: string | undefined;
  /** runs that ended because their host, pool or supervisor was lost */
  attempts: number;
  maxAttempts: number;
  /** of the last run; grows with each */
  token: number;
  pool: string | undefined;
  runHost: string | undefined;
  /** name of the worker on its host */
  runName: string | undefined;
  progress: JobProgress | undefined;
  handoff: string | undefined;
  branch: string | undefined;
  head: string | undefined;
  /** ref of uncommitted work, in the repository */
  rescue: string | undefined;
  after: number[];
  addedAt: number;
  startedAt: number | undefined;
  endedAt: number | undefined;
};

/** One thing that happened to a task. */
export type JobEvent = {
  at: number;
  kind: string;
  token: number | undefined;
  host: string | undefined;
  text: string | undefined;
};

/** The right to work on a task. Whatever is written about its run carries the token. */
export type Lease = { task: number; token: number };

/** What was true when a lease was taken, for the one who took it. */
export type Claim = {
  lease: Lease;
  task: Job;
  /** the worker's state as the last run reported it, as JSON */
  snapshot: string | undefined;
  /** what runs of tokens below this left is not gone on with: somebody asked for a new beginning */
  freshFrom: number;
  /** runs of tokens up to this came to an end that somebody asked to try again */
  retriedFrom: number;
};

/** How the worker of a task ended, as the queue keeps it. */
export type RunEnd = {
  state: "complete" | "unverified" | "failed" | "cancelled";
  reason: string;
  verdict: string;
};

/** What a run leaves in the queue at the end of each session, for whoever goes on with it. */
export type RunNote = {
  runName?: string | undefined;
  snapshot?: string | undefined;
  handoff?: string | undefined;
  branch?: string | undefined;
  head?: string | undefined;
  /** empty when nothing is uncommitted any more */
  rescue?: string | undefined;
  progress?: JobProgress | undefined;
};

/** Why a run ended without a result. */
export type GiveBack = {
  why: string;
  /**
   * `lost`: nobody heard of it in time. `broken off`: it came to no end. Too many of both fail the task.
   * `not prepared`: its place could not be made ready, which costs no attempt. `given back`: its pool drains.
   */
  how: "lost" | "broken off" | "not prepared" | "given back";
  delaySeconds?: number;
};

export type Renewal = { lease: Lease; progress: JobProgress | undefined };
export type Renewed = { lease: Lease; cancel: "gently" | "now" | undefined };

/** A task of an outbox, and the end that it will have once it is published. */
export type Publication = { claim: Claim; end: RunEnd };
