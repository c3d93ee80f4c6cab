import { withoutUndefined } from "../../core/without-undefined.ts";
import { findWindow } from "../../agents/context-window.ts";
import type { AgentEvent, ContextSource, DriverSession } from "../../agents/driver.ts";
import type { Spending } from "../../agents/spending.ts";
import type { Clock } from "../../core/clock.ts";
import { orWoken } from "./or-woken.ts";
import type { StopSignals } from "./stop-switch.ts";
import { type ToolUse, noteTool } from "./tool-use.ts";
import type { SessionEndReason, WindowSource } from "../state/worker-state.ts";

/**
 * What ends a session from outside the agent. Spans are measured on a clock that stands still while the
 * machine sleeps and that nobody sets; only `deadlineMs` is a time of day. Tokens are those of one call.
 */
export type WatchLimits = {
  contextPercent: number;
  sessionMs: number;
  idleMs: number;
  /** how long the agent may take to stop by itself once it was asked to */
  stopGraceMs: number;
  /** overrides what the agent says about its window */
  windowTokens?: number;
  /** the model that was asked for; the agent may name another one */
  model?: string;
  /** what is left of the whole worker's budget */
  costUsd?: number;
  tokens?: number;
  /** USD that all workers together have left, when the session has spent this much */
  budgetLeftUsd?: (spentUsd: number) => number;
  deadlineMs?: number;
};

/** Everything known of a session while it runs; the decision to stop is a function of it. */
export type Progress = {
  /** both on the clock of spans */
  startedMs: number;
  lastEventMs: number;
  openTools: Set<string>;
  tools: readonly ToolUse[];
  conversationId?: string;
  model?: string;
  contextTokens?: number;
  windowTokens?: number;
  windowSource?: WindowSource;
  contextSource: ContextSource;
  spending: Spending;
  firstText?: string;
  /** nothing but usage came after the last text: it is the agent's last word */
  isTextLast: boolean;
  texts: string[];
  rateLimit?: { message: string; resetsAtMs?: number };
};

export type WatchResult = {
  progress: Progress;
  endReason: SessionEndReason;
  lastText: string;
  ended: Extract<AgentEvent, { type: "ended" }> | undefined;
  error?: string;
};

/** For an agent that tells neither its window nor a model we know: the smallest of those in use. */
const ASSUMED_WINDOW = 128_000;

const KEPT_TEXTS = 20;
/** Of each text: a program may say megabytes in one. */
const KEPT_CHARS = 20_000;

/** What is known of a session before its agent has said anything. */
export const createProgress = (
  startedMs: number,
  { windowTokens, model }: Partial<WatchLimits> = {},
): Progress => ({
  startedMs,
  lastEventMs: startedMs,
  openTools: new Set(),
  tools: [],
  contextSource: "none",
  spending: {},
  texts: [],
  isTextLast: false,
  ...(windowTokens === undefined ? {} : { windowTokens, windowSource: "config" }),
  ...(model === undefined ? {} : { model }),
});

/** Share of the window in use, in percent; undefined while one of the two is unknown. */
export const contextPercent = ({ windowTokens, contextTokens }: Progress): number | undefined =>
  windowTokens && contextTokens !== undefined ? (100 * contextTokens) / windowTokens : undefined;

/** The two times of one moment: of the day, and of the clock of spans. */
export type Moment = { now: number; elapsed: number };

const isSpent = ({ spending }: Progress, limits: WatchLimits): boolean =>
  (spending.totalCostUsd ?? 0) >= (limits.costUsd ?? Infinity) ||
  (spending.totalTokens ?? 0) >= (limits.tokens ?? Infinity) ||
  (limits.budgetLeftUsd?.(spending.totalCostUsd ?? 0) ?? Infinity) <= 0;

/** Why a running session must be stopped now, if it must. A running tool is work, not idleness. */
export const reasonToStop = (
  progress: Progress,
  limits: WatchLimits,
  { now, elapsed }: Moment,
): SessionEndReason | undefined => {
  const percent = contextPercent(progress);
  if (percent !== undefined && percent >= limits.contextPercent) return "context";
  if (isSpent(progress, limits)) return "cost";
  if (elapsed >= progress.startedMs + limits.sessionMs || now >= (limits.deadlineMs ?? Infinity))
    return "time";
  if (progress.openTools.size === 0 && elapsed >= progress.lastEventMs + limits.idleMs) return "idle";
  return undefined;
};

/** How long until time alone could stop the session. */
const nextDeadlineMs = (progress: Progress, limits: WatchLimits, { now, elapsed }: Moment): number => {
  const idle = progress.openTools.size === 0 ? progress.lastEventMs + limits.idleMs : Infinity;
  const span = Math.min(idle, progress.startedMs + limits.sessionMs) - elapsed;
  return Math.max(0, Math.min(span, (limits.deadlineMs ?? Infinity) - now));
};

const remember = (progress: Progress, event: AgentEvent, elapsedMs: number): void => {
  progress.lastEventMs = elapsedMs;
  switch (event.type) {
    case "started":
      progress.conversationId = event.conversationId;
      if (event.model !== undefined) progress.model = event.model;
      return;
    case "model":
      progress.model = event.model;
      return;
    case "text":
      progress.firstText ??= event.text.slice(0, KEPT_CHARS);
      progress.isTextLast = true;
      progress.texts = [...progress.texts, event.text.slice(-KEPT_CHARS)].slice(-KEPT_TEXTS);
      return;
    case "tool-start":
      progress.openTools.add(event.id);
      progress.tools = noteTool(progress.tools, event);
      progress.isTextLast = false;
      return;
    case "tool-end":
      progress.openTools.delete(event.id);
      progress.tools = noteTool(progress.tools, event);
      return;
    case "usage":
      delete progress.rateLimit; // the model answers again
      progress.contextTokens = event.contextTokens;
      learnWindow(progress, event.windowTokens);
      progress.contextSource = event.source;
      takeSpending(progress, event);
      return;
    case "rate-limit": {
      // Agents tell of one limit twice, the second time without its reset.
      const resetsAtMs = event.resetsAtMs ?? progress.rateLimit?.resetsAtMs;
      progress.rateLimit = { message: event.message, ...(resetsAtMs === undefined ? {} : { resetsAtMs }) };
      return;
    }
    case "ended":
      takeSpending(progress, event);
      return;
    case "activity":
    case "unknown":
    case "warning":
  }
};

/** The config's figure stands; then the agent's, then the one its model is known by, then the assumed one. */
const learnWindow = (progress: Progress, said: number | undefined): void => {
  if (progress.windowSource === "config") return;
  if (said === undefined && progress.windowSource === "agent") return;
  const known = said ?? findWindow(progress.model);
  progress.windowTokens = known ?? ASSUMED_WINDOW;
  progress.windowSource = said !== undefined ? "agent" : known !== undefined ? "model" : "assumed";
};

const takeSpending = (progress: Progress, said: Spending): void => {
  const { totalCostUsd, totalTokens, tokensByClass } = said;
  progress.spending = {
    ...progress.spending,
    ...withoutUndefined({ totalCostUsd, totalTokens, tokensByClass }),
  };
};

const endReasonOf = (
  ended: Extract<AgentEvent, { type: "ended" }> | undefined,
  asked: SessionEndReason | undefined,
  { progress, limits }: { progress: Progress; limits: WatchLimits },
): SessionEndReason => {
  // Some agents tell of the limit, and then end with an error that does not name it.
  if (ended?.reason === "rate-limit" || (ended?.reason === "error" && progress.rateLimit))
    return "rate-limit";
  if (asked) return asked;
  // It kept to the budget by itself.
  if (ended?.reason === "limit" && isSpent(progress, limits)) return "cost";
  if (!ended) return "error";
  return ended.reason === "completed" ? "handoff" : "error";
};

export type WatchPorts = {
  clock: Clock;
  onEvent: (event: AgentEvent, progress: Progress) => void;
  stop: Pick<StopSignals, "asked" | "now">;
};

/** What the agent was asked for, and since when it has had time for that. */
type Asked = { reason?: SessionEndReason; sinceMs: number };

/** Only a full context leaves the running tool call the time it needs. */
const waitsForTool = ({ reason }: Asked, { openTools }: Progress): boolean =>
  reason === "context" && openTools.size > 0;

/**
 * Follows a running session to its end: stops it gently when a limit is reached or somebody asks, and at
 * once when it does not heed. Never sums usage over calls (the drivers report single calls).
 */
export const watchAgent = async (
  { clock, onEvent, stop }: WatchPorts,
  session: DriverSession,
  limits: WatchLimits,
): Promise<WatchResult> => {
  const moment = (): Moment => ({ now: clock.now(), elapsed: clock.elapsed() });
  const progress = createProgress(clock.elapsed(), limits);
  const events = session.events[Symbol.asyncIterator]();
  const asked: Asked = { sinceMs: 0 };
  let ended: Extract<AgentEvent, { type: "ended" }> | undefined;
  let pending = events.next();

  const findReason = (): SessionEndReason | undefined => {
    if (asked.reason && !waitsForTool(asked, progress)) return undefined;
    if (stop.asked.aborted) return "stopped";
    const others = asked.reason ? { ...limits, contextPercent: Infinity } : limits;
    return reasonToStop(progress, others, moment());
  };
  const askToStop = async (): Promise<void> => {
    const reason = findReason();
    if (!reason) return;
    asked.reason = reason;
    asked.sinceMs = clock.elapsed();
    await session.stopGently({ mayCutTool: reason !== "context" });
  };
  const graceMs = (): number | undefined =>
    asked.reason && !waitsForTool(asked, progress)
      ? Math.max(0, asked.sinceMs + limits.stopGraceMs - clock.elapsed())
      : undefined;

  while (!ended) {
    await askToStop();
    const next = await orWoken(clock, pending, {
      ms: graceMs() ?? nextDeadlineMs(progress, limits, moment()),
      signals: stop.asked.aborted ? [stop.now] : [stop.asked, stop.now],
    });
    if (next?.done) break;
    if (next) {
      const wasWaiting = waitsForTool(asked, progress);
      remember(progress, next.value, clock.elapsed());
      if (wasWaiting && progress.openTools.size === 0) asked.sinceMs = clock.elapsed();
      if (next.value.type === "ended") ended = next.value;
      else await askToStop(); // before the agent hears that its figures were acted on
      if (next.value.type !== "activity") onEvent(next.value, progress);
      pending = events.next();
    } else if (graceMs() === 0) break;
    if (!ended && stop.now.aborted) {
      asked.reason = "stopped";
      break;
    }
  }
  if (!ended) void drain(events);
  const endReason = endReasonOf(ended, asked.reason, { progress, limits });
  return {
    progress,
    endReason,
    lastText: ended?.lastText ?? progress.texts.at(-1) ?? "",
    ended,
    ...(endReason === "error" ? { error: ended?.message ?? describeEnd(ended) } : {}),
  };
};

/** An agent that was given up goes on talking until it is ended: nobody must keep what it says. */
const drain = async (events: AsyncIterator<AgentEvent>): Promise<void> => {
  while (!(await events.next()).done);
};

const describeEnd = (ended: Extract<AgentEvent, { type: "ended" }> | undefined): string => {
  if (!ended) return "the agent ended without saying why";
  if (ended.signal) return `the agent was ended by ${ended.signal}`;
  return `the agent ended with ${ended.reason} (exit ${ended.exitCode ?? "unknown"})`;
};
