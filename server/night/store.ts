import type { Card } from "./card.ts";
import type { NewEvent, StoredRun } from "./fold.ts";
import type { CommandState } from "./schemas.ts";

/** A run as it is listed. */
export type ListedRun = {
  card: Card;
  reportedAt: number;
  startedAt: number;
  endedAt: number | undefined;
  isSeen: boolean;
};

/** An event as it is read; what is long is read by itself. */
export type StoredEvent = Omit<NewEvent, "text"> & { number: number; textLength: number };

export type RunFilter = {
  project?: string | undefined;
  host?: string | undefined;
  status?: string | undefined;
  /** started in this span, in milliseconds since the epoch */
  from?: number | undefined;
  to?: number | undefined;
};

/** Where a page of runs ends: the next begins before it. */
export type RunCursor = { startedAt: number; id: string };

export type StoredCommand = {
  id: string;
  run: string;
  host: string;
  worker: string;
  action: string;
  args: Record<string, unknown>;
  askedBy: string;
  state: CommandState;
  detail: string | undefined;
  createdAt: number;
  expiresAt: number;
  receivedAt: number | undefined;
  endedAt: number | undefined;
};

export type Ack = { id: string; state: "received" | "done" | "failed"; detail?: string | undefined };

/** `unpriced`: runs with sessions that told no cost. */
export type Sum = { done: number; costUsd: number; unpriced: number; commits: number };

/** The runs of all workers, what they told, and what people ask of them. */
export type NightStore = {
  /** Changes one run and adds its events, in one transaction; nobody else changes the run meanwhile. */
  change: (
    id: string,
    fold: (before: StoredRun | undefined) => { run: StoredRun; events: NewEvent[] },
  ) => Promise<{ run: StoredRun; isLatest: boolean }>;
  find: (id: string) => Promise<ListedRun | undefined>;
  /** Of each worker the newest run, where it is active or has ended badly and nobody has seen it. */
  listCurrent: (filter: RunFilter) => Promise<ListedRun[]>;
  /** the newest first */
  list: (filter: RunFilter, page: { before?: RunCursor | undefined; limit: number }) => Promise<ListedRun[]>;
  /** Runs that were heard from since a time, the newest first; those that began before `startedBefore`, if it is given. */
  listSince: (time: number, limit: number, startedBefore?: number) => Promise<ListedRun[]>;
  /** Of the runs that began since a time; of all, how many have been completed since. */
  sumSince: (time: number) => Promise<Sum>;
  /** The newest run of each task of the queue between these two, both included. */
  runsOfTasks: (between: readonly [first: number, last: number]) => Promise<ReadonlyMap<number, string>>;
  /** every project and host, for the filters */
  facets: () => Promise<{ projects: string[]; hosts: string[] }>;
  /** Takes a run out of what needs a person; false when there is no such run. */
  setSeen: (id: string) => Promise<boolean>;
  /** everything but the log, oldest first */
  events: (run: string) => Promise<StoredEvent[]>;
  /** the kept lines of the log that come after a number, oldest first */
  log: (run: string, after: number) => Promise<{ number: number; lines: string[] }[]>;
  text: (run: string, number: number) => Promise<string | undefined>;
  addCommand: (command: StoredCommand) => Promise<void>;
  /** a run's, the newest first */
  listCommands: (run: string) => Promise<StoredCommand[]>;
  /** those of a host that nobody has said the end of, the oldest first */
  openCommands: (host: string, now: number) => Promise<StoredCommand[]>;
  /** hosts that have some */
  openHosts: (now: number) => Promise<string[]>;
  /** @returns the runs whose commands changed */
  acknowledge: (host: string, acks: readonly Ack[], now: number) => Promise<string[]>;
  /** Forgets runs that nobody spoke of since; returns how many. */
  forgetBefore: (time: number) => Promise<number>;
};

export const KEPT_LOG_LINES = 500;
/** The log is cut when it has grown to twice of what is kept: not with every line. */
export const needsTrim = (logLines: number): boolean => logLines > 2 * KEPT_LOG_LINES;
