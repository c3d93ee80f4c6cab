import type { WorkerStatus } from "../../core/worker-status.ts";
import type { SandboxMode } from "../../sandbox/settings.ts";
import type { ContextSource } from "../../agents/driver.ts";
import type { TokenClasses } from "../../agents/token-classes.ts";
import type { DoneRule, Limits } from "../../core/config/sections/workers.ts";
import type { ChildIdentity } from "../../core/process-identity.ts";
import type { Acceptance } from "../../verdict/receipt/statement.ts";
import type { Verdict } from "../../verdict/verdict.ts";
import type { HeldLink } from "./chain.ts";
import type { LeaseTag } from "./lease.ts";

export type { WorkerStatus };

export type ShownStatus = WorkerStatus | "crashed";

/** Why one session ended. */
export type SessionEndReason =
  | "done"
  | "handoff"
  | "context"
  | "idle"
  | "time"
  | "cost"
  | "error"
  | "rate-limit"
  | "stopped";

/** `none`: no check ran, which is never a pass. */
export type HealthResult = "healthy" | "blocked" | "none";

export type GateRecord = { verdict: HealthResult; exitCode?: number; at: string; problem?: string };

/** How a DONE was judged, and what a person said of it. */
export type VerdictRecord = Pick<Verdict, "word" | "at" | "where" | "reasons"> & {
  /** the commit that was judged */
  head?: string;
  /** file of the signed receipt */
  receipt?: string;
  accepted?: Acceptance;
};

/** Whether the agent's first words agree with the branch, HEAD and dirty digest of the handoff. */
export type Acknowledgement = "given" | "missing" | "contradicted";

/** The error of a session whose supervisor died: it tells nothing about the agent. */
export const CRASHED = "the supervisor crashed";

/** Who says how large the context window is: the user, the agent, a list by model, or nobody. */
export type WindowSource = "config" | "agent" | "model" | "assumed";

/** One session of a worker, as the state file keeps it. Tokens are those of the last single model call. */
export type SessionRecord = {
  number: number;
  /** the agent that worked; absent in states of older versions */
  agent?: string;
  conversationId?: string;
  /** the model that answered, in the agent's own spelling; the last one, where it changed */
  model?: string;
  startedAt: string;
  endedAt?: string;
  endReason?: SessionEndReason;
  /** false for a session that does not count against `max`: a rate limit cut it off, or a stop came before its agent began */
  isCounted: boolean;
  contextTokens?: number;
  windowTokens?: number;
  windowSource?: WindowSource;
  contextSource?: ContextSource;
  costUsd?: number;
  /** what its reviewer has cost so far, written while the reviewer is at work */
  reviewCostUsd?: number;
  tokens?: number;
  tokensByClass?: TokenClasses;
  /** how many tool calls the critic stopped */
  criticStops?: number;
  commits: string[];
  hasChanged: boolean;
  gateBefore?: GateRecord;
  gateAfter?: GateRecord;
  verdict?: VerdictRecord;
  handoffFile?: string;
  /** branch, HEAD and dirty digest that the handoff carries */
  handoffState?: string;
  rescueRef?: string;
  /** commit that the work tree was at when the session began */
  headBefore?: string;
  acknowledgement?: Acknowledgement;
  /** what a contradicting acknowledgement said */
  acknowledged?: string;
  error?: string;
  /** the tool call or check that runs now; kept of a session that a crash cut off */
  doing?: { what: string; since: string };
  /** value of the environment marker of every process of the session */
  mark: string;
};

export type ResolvedLimits = Required<Omit<Limits, "totalHours" | "costUsd" | "tokens">> &
  Pick<Limits, "totalHours" | "costUsd" | "tokens">;

/** `~/.workers/<name>.json`, whole. Only the supervisor of the worker writes it. */
export type WorkerState = {
  version: 1;
  name: string;
  task: string;
  /** id of the run: a start begins one, a resume goes on with it; absent in states of older versions */
  run?: string;
  /** real path */
  dir: string;
  agent: string;
  agentTitle: string;
  /** the agents that stand in for each other, the preferred first; absent for a worker with one */
  chain?: HeldLink[];
  /** which of the chain works now */
  link?: number;
  isScripted: boolean;
  model?: string;
  max: number;
  limits: ResolvedLimits;
  done: Required<DoneRule>;
  onRateLimit: string;
  isShared: boolean;
  worktree?: { path: string; branch: string; repository: string };
  /** top of the git work tree that it began in */
  workTree?: string;
  /** what holds its sessions; `reason` says why nothing does. Absent in states of versions without a sandbox */
  sandbox?: { mode: SandboxMode; kind: "bubblewrap" | "seatbelt" | "none"; reason?: string };
  /** folder of the config the worker was started with */
  configRoot: string;
  /** the task of the queue it works on, when a pool started it */
  lease?: LeaseTag;
  status: WorkerStatus;
  /** counted sessions so far */
  session: number;
  /** the circuits (stalled, same error) look only at sessions after this one: a person resumed there */
  circuitsFrom?: number;
  sessions: SessionRecord[];
  supervisor: ChildIdentity;
  context?: { tokens: number; windowTokens?: number; percent?: number; source: ContextSource };
  costUsd: number;
  tokens: number;
  lastGate?: GateRecord;
  /** the last one */
  verdict?: VerdictRecord;
  /** address of the memory service, `off` when none is configured */
  memory: string;
  waitingUntil?: string;
  /** what it waits for: a rate limit, or something that passes by itself */
  waitingFor?: string;
  stopReason?: string;
  /** what a person should know: a contradicted acknowledgement, files that could not be written */
  remarks: string[];
  createdAt: string;
  startedAt: string;
  updatedAt: string;
  endedAt?: string;
};

const sum = (values: readonly (number | undefined)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

/** What sessions and their reviewers have cost together, as far as these say; a session that a crash cut off counts. */
export const spentBy = (
  sessions: readonly Pick<SessionRecord, "costUsd" | "reviewCostUsd" | "tokens">[],
): Pick<WorkerState, "costUsd" | "tokens"> => ({
  costUsd: sum(sessions.flatMap((session) => [session.costUsd, session.reviewCostUsd])),
  tokens: sum(sessions.map((session) => session.tokens)),
});

/** When a worker's total time is over, in milliseconds since the epoch; Infinity without a limit. */
export const deadlineOf = ({ limits, startedAt }: Pick<WorkerState, "limits" | "startedAt">): number =>
  limits.totalHours === undefined ? Infinity : Date.parse(startedAt) + limits.totalHours * 3_600_000;

/** docs/workers.md has this table; a transition that is not in it is a bug. */
export const TRANSITIONS: Readonly<Record<WorkerStatus, readonly WorkerStatus[]>> = {
  starting: ["running", "stopping", "failed", "stopped"],
  running: ["waiting", "stopping", "complete", "unverified", "max-reached", "stalled", "failed", "stopped"],
  waiting: ["running", "stopping", "stopped", "failed"],
  stopping: ["stopped", "complete", "unverified", "max-reached", "stalled", "failed"],
  stopped: ["starting", "complete"],
  complete: ["starting"],
  unverified: ["starting", "complete"],
  "max-reached": ["starting", "complete"],
  stalled: ["starting", "complete"],
  failed: ["starting"],
};

/** States in which a supervisor must be alive; found with a dead one, the worker has crashed. */
export const ACTIVE: readonly WorkerStatus[] = ["starting", "running", "waiting", "stopping"];

export const isActive = (status: ShownStatus): boolean => (ACTIVE as readonly ShownStatus[]).includes(status);

/**
 * The session a worker is in, or waits to begin, of its `max`: one that did not count (a rate limit cut it off) is
 * begun again under its number. For one that has ended, how many it had.
 */
export const currentSession = ({
  status,
  session,
  max,
  sessions,
}: Pick<WorkerState, "session" | "max" | "sessions"> & { status: ShownStatus }): number => {
  const last = sessions.at(-1);
  const isBetween = last === undefined || (last.endedAt !== undefined && !last.isCounted);
  return isActive(status) && isBetween ? Math.min(session + 1, max) : session;
};

/** What is true of a worker now. */
export const shownStatus = (state: WorkerState, isSupervisorAlive: boolean): ShownStatus =>
  ACTIVE.includes(state.status) && !isSupervisorAlive ? "crashed" : state.status;

/** The state with another status; throws for a transition that the table does not have. */
export const transition = (state: WorkerState, to: WorkerStatus): WorkerState => {
  if (state.status === to) return state;
  if (!TRANSITIONS[state.status].includes(to))
    throw new Error(`worker ${state.name} cannot go from ${state.status} to ${to}`);
  return { ...state, status: to };
};

export const DEFAULT_LIMITS: ResolvedLimits = {
  contextPercent: 75,
  sessionMinutes: 60,
  idleMinutes: 15,
  handoffMinutes: 3,
  stalledSessions: 3,
  sameErrors: 3,
  backoffSeconds: 5,
  gateMinutes: 10,
  rescueMiB: 50,
  rescueFileMiB: 10,
};

export const DEFAULT_MAX_SESSIONS = 10;
