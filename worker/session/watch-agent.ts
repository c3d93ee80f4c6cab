import type { AgentEvent, ContextSource, DriverSession } from "../../agents/driver.ts";
import type { Clock } from "../../core/clock.ts";
import type { StopSignals } from "./stop-switch.ts";
import type { SessionEndReason } from "../state/worker-state.ts";

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
  /** what is left of the whole worker's budget */
  costUsd?: number;
  tokens?: number;
  deadlineMs?: number;
};

/** Everything known of a session while it runs; the decision to stop is a function of it. */
export type Progress = {
  /** both on the clock of spans */
  startedMs: number;
  lastEventMs: number;
  openTools: Set<string>;
  conversationId?: string;
  contextTokens?: number;
  windowTokens?: number;
  contextSource: ContextSource;
  costUsd?: number;
  tokens?: number;
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

const KEPT_TEXTS = 20;
/** Of each text: a program may say megabytes in one. */
const KEPT_CHARS = 20_000;

/** What is known of a session before its agent has said anything. */
export const createProgress = (startedMs: number, { windowTokens }: Partial<WatchLimits> = {}): Progress => ({
  startedMs,
  lastEventMs: startedMs,
  openTools: new Set(),
  contextSource: "none",
  texts: [],
  isTextLast: false,
  ...(windowTokens === undefined ? {} : { windowTokens }),
});

/** Share of the window in use, in percent; undefined while one of the two is unknown. */
export const contextPercent = (
  progress: Progress,
  limits: Pick<WatchLimits, "windowTokens">,
): number | undefined => {
  const window = limits.windowTokens ?? progress.windowTokens;
  return window && progress.contextTokens !== undefined ? (100 * progress.contextTokens) / window : undefined;
};

/** The two times of one moment: of the day, and of the clock of spans. */
export type Moment = { now: number; elapsed: number };

const isSpent = ({ costUsd = 0, tokens = 0 }: Progress, limits: WatchLimits): boolean =>
  costUsd >= (limits.costUsd ?? Infinity) || tokens >= (limits.tokens ?? Infinity);

/** Why a running session must be stopped now, if it must. A running tool is work, not idleness. */
export const reasonToStop = (
  progress: Progress,
  limits: WatchLimits,
  { now, elapsed }: Moment,
): SessionEndReason | undefined => {
  const percent = contextPercent(progress, limits);
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
      return;
    case "text":
      progress.firstText ??= event.text.slice(0, KEPT_CHARS);
      progress.isTextLast = true;
      progress.texts = [...progress.texts, event.text.slice(-KEPT_CHARS)].slice(-KEPT_TEXTS);
      return;
    case "tool-start":
      progress.openTools.add(event.id);
      progress.isTextLast = false;
      return;
    case "tool-end":
      progress.openTools.delete(event.id);
      return;
    case "usage":
      delete progress.rateLimit; // the model answers again
      progress.contextTokens = event.contextTokens;
      if (event.windowTokens !== undefined) progress.windowTokens = event.windowTokens;
      progress.contextSource = event.source;
      if (event.totalCostUsd !== undefined) progress.costUsd = event.totalCostUsd;
      if (event.totalTokens !== undefined) progress.tokens = event.totalTokens;
      return;
    case "rate-limit":
      progress.rateLimit = {
        message: event.message,
        ...(event.resetsAtMs ? { resetsAtMs: event.resetsAtMs } : {}),
      };
      return;
    case "ended":
      if (event.totalCostUsd !== undefined) progress.costUsd = event.totalCostUsd;
      if (event.totalTokens !== undefined) progress.tokens = event.totalTokens;
      return;
    case "warning":
  }
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
  stop: StopSignals;
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
      onEvent(next.value, progress);
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

/**
 * What `promise` resolves with, or undefined when time has passed or a signal aborts. Nothing stays behind:
 * an agent says a hundred thousand things a night, and the signals live as long as its worker.
 */
const orWoken = async <T>(
  clock: Clock,
  promise: Promise<T>,
  { ms, signals }: { ms: number; signals: readonly AbortSignal[] },
): Promise<T | undefined> => {
  const over = new AbortController();
  const wake = () => over.abort();
  for (const signal of signals)
    if (signal.aborted) wake();
    else signal.addEventListener("abort", wake);
  try {
    return await Promise.race([promise, clock.sleep(ms, over.signal).then(() => undefined)]);
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", wake);
    over.abort();
  }
};

/** An agent that was given up goes on talking until it is ended: nobody must keep what it says. */
const drain = async (events: AsyncIterator<AgentEvent>): Promise<void> => {
  while (!(await events.next()).done);
};

const describeEnd = (ended: Extract<AgentEvent, { type: "ended" }> | undefined): string => {
  if (!ended) return "the agent ended without a word";
  if (ended.signal) return `the agent was ended by ${ended.signal}`;
  return `the agent ended with ${ended.reason} (exit ${ended.exitCode ?? "unknown"})`;
};
