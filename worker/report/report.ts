import { withoutUndefined } from "../../core/without-undefined.ts";
import { type ShownStatus, type VerdictRecord, currentSession, isActive } from "../state/worker-state.ts";
import type { ListedWorker } from "../state/worker-store.ts";
import type { CallEntry } from "../../sandbox/network/ledger.ts";
import type { DiffStat } from "./commit-stats.ts";

/** What the report knows of a worker beside its state: from its repository and its handoffs. */
export type Evidence = {
  stat: DiffStat | undefined;
  note: string | undefined;
  calls: readonly CallEntry[];
};

/** One worker in the report. Times are UTC in ISO form, cost is in USD. */
export type WorkerReport = {
  name: string;
  dir: string;
  agent: string;
  model?: string;
  outcome: ShownStatus;
  /** in words, what ended it or what it waits for */
  why: string;
  needsYou: boolean;
  startedAt: string;
  endedAt?: string;
  durationMs: number;
  sessions: number;
  /** how many each agent of its chain had */
  sessionsByAgent: Readonly<Record<string, number>>;
  costUsd: number;
  /** sessions that are over and told no cost: it is not in the sum */
  costUnknown: number;
  tokens: number;
  commits: string[];
  diffstat?: DiffStat;
  /** the agent's last words to its next session, or its DONE line */
  note?: string;
  gates: string;
  /** how the last DONE was judged, with every reason */
  verdict?: VerdictRecord;
  /** refs that hold uncommitted work which a session left */
  rescued: string[];
  criticStops: number;
  /** whom its sandboxed sessions called, or tried to: refused hosts first */
  calls: readonly CallEntry[];
  remarks: string[];
  /** the command that comes next */
  next: string;
};

export type Report = {
  since?: string;
  at: string;
  totals: {
    workers: number;
    byOutcome: Partial<Record<ShownStatus, number>>;
    sessions: number;
    costUsd: number;
    costUnknown: number;
    tokens: number;
    commits: number;
    diffstat: DiffStat;
  };
  workers: WorkerReport[];
};

/** Ended, and not as it was meant to: somebody has to look. */
const UNWANTED: ReadonlySet<ShownStatus> = new Set([
  "crashed",
  "failed",
  "stalled",
  "unverified",
  "max-reached",
]);

const whyOf = (worker: ListedWorker): string => {
  if (worker.shown === "crashed") return "its supervisor is gone";
  if (worker.stopReason !== undefined) return worker.stopReason;
  if (worker.shown === "waiting")
    return worker.waitingUntil === undefined ? "waiting" : `waits until ${worker.waitingUntil}`;
  return isActive(worker.shown) ? `in session ${currentSession(worker)} of ${worker.max}` : "";
};

const nextOf = ({ name, shown, verdict }: ListedWorker, hasCommits: boolean): string => {
  if (shown === "unverified" && verdict && hasCommits)
    return `worker diff ${name}, then: worker accept ${name}`;
  if (shown === "complete" || shown === "unverified")
    return hasCommits ? `worker diff ${name}` : `worker log ${name}`;
  if (isActive(shown)) return `worker log ${name} -f`;
  return shown === "failed" || shown === "stalled" ? `worker log ${name}` : `worker resume ${name}`;
};

const gatesOf = ({ lastGate }: ListedWorker): string =>
  lastGate ? `${lastGate.verdict}${lastGate.problem ? `: ${lastGate.problem}` : ""}` : "not run";

const reportWorker = (worker: ListedWorker, { stat, note, calls }: Evidence, nowMs: number): WorkerReport => {
  const commits = worker.sessions.flatMap((session) => session.commits);
  const endedMs = worker.endedAt === undefined ? undefined : Date.parse(worker.endedAt);
  const isOver = !isActive(worker.shown);
  const untilMs = endedMs ?? (isOver ? Date.parse(worker.updatedAt) : nowMs);
  const model = worker.sessions.findLast((session) => session.model !== undefined)?.model ?? worker.model;
  return {
    name: worker.name,
    dir: worker.dir,
    agent: worker.agent,
    ...(model === undefined ? {} : { model }),
    outcome: worker.shown,
    why: whyOf(worker),
    needsYou:
      UNWANTED.has(worker.shown) ||
      (worker.shown === "stopped" && worker.stopReason?.includes("limit") === true),
    startedAt: worker.startedAt,
    ...(worker.endedAt === undefined ? {} : { endedAt: worker.endedAt }),
    durationMs: Math.max(0, untilMs - Date.parse(worker.startedAt)),
    sessions: worker.sessions.length,
    sessionsByAgent: countByAgent(worker),
    costUsd: worker.costUsd,
    costUnknown: countUnpriced(worker),
    tokens: worker.tokens,
    commits,
    ...withoutUndefined({ diffstat: stat, note }),
    gates: gatesOf(worker),
    ...(worker.verdict ? { verdict: worker.verdict } : {}),
    rescued: worker.sessions.flatMap((session) => session.rescueRef ?? []),
    criticStops: worker.sessions.reduce((sum, session) => sum + (session.criticStops ?? 0), 0),
    calls,
    remarks: worker.remarks,
    next: nextOf(worker, commits.length > 0),
  };
};

const countByAgent = ({ agent: own, sessions }: ListedWorker): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { agent = own } of sessions) counts[agent] = (counts[agent] ?? 0) + 1;
  return counts;
};

/** Sessions that are over and told no cost. */
export const countUnpriced = ({ sessions }: Pick<ListedWorker, "sessions">): number =>
  sessions.filter(
    ({ isCounted, endedAt, costUsd }) => isCounted && endedAt !== undefined && costUsd === undefined,
  ).length;

/** Those that need a person, then what goes on, then what is done; within each, the latest first. */
const rank = ({ needsYou, outcome }: WorkerReport): number => (needsYou ? 0 : isActive(outcome) ? 1 : 2);

/** A worker belongs to the report while it runs, and when it ended or was last heard of since then. */
export const isSince = (worker: ListedWorker, sinceMs: number): boolean =>
  isActive(worker.shown) || Date.parse(worker.endedAt ?? worker.updatedAt) >= sinceMs;

const sum = (workers: readonly WorkerReport[], value: (worker: WorkerReport) => number): number =>
  workers.reduce((total, worker) => total + value(worker), 0);

/** What became of the workers, for the person who comes back to them. */
export const createReport = (
  found: readonly { worker: ListedWorker; evidence: Evidence }[],
  { nowMs, sinceMs }: { nowMs: number; sinceMs?: number },
): Report => {
  const workers = found
    .map(({ worker, evidence }) => reportWorker(worker, evidence, nowMs))
    .toSorted((a, b) => rank(a) - rank(b) || b.startedAt.localeCompare(a.startedAt));
  const byOutcome: Partial<Record<ShownStatus, number>> = {};
  for (const { outcome } of workers) byOutcome[outcome] = (byOutcome[outcome] ?? 0) + 1;
  return {
    ...(sinceMs === undefined ? {} : { since: new Date(sinceMs).toISOString() }),
    at: new Date(nowMs).toISOString(),
    totals: {
      workers: workers.length,
      byOutcome,
      sessions: sum(workers, ({ sessions }) => sessions),
      costUsd: sum(workers, ({ costUsd }) => costUsd),
      costUnknown: sum(workers, ({ costUnknown }) => costUnknown),
      tokens: sum(workers, ({ tokens }) => tokens),
      commits: sum(workers, ({ commits }) => commits.length),
      diffstat: {
        files: sum(workers, ({ diffstat }) => diffstat?.files ?? 0),
        insertions: sum(workers, ({ diffstat }) => diffstat?.insertions ?? 0),
        deletions: sum(workers, ({ diffstat }) => diffstat?.deletions ?? 0),
      },
    },
    workers,
  };
};
