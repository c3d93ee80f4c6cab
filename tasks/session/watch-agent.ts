import type { AgentEvent, ContextSource, DriverSession } from "../../agents/driver.ts";
import type { Clock } from "../../core/clock.ts";
import type { SessionEndReason } from "../worker/worker-state.ts";

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

export type StopRequest = { reason: SessionEndReason; isNow: boolean };

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

/** Why a running session must be stopped now, if it must. A running tool is work, not idleness. */
export const reasonToStop = (
  progress: Progress,
  limits: WatchLimits,
  { now, elapsed }: Moment,
): SessionEndReason | undefined => {
  const percent = contextPercent(progress, limits);
  if (percent !== undefined && percent >= limits.contextPercent) return "context";
  if (limits.costUsd !== undefined && (progress.costUsd ?? 0) >= limits.costUsd) return "cost";
  if (limits.tokens !== undefined && (progress.tokens ?? 0) >= limits.tokens) return "cost";
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
      progress.firstText ??= event.text;
      progress.isTextLast = true;
      progress.texts = [...progress.texts, event.text].slice(-KEPT_TEXTS);
      return;
    case "tool-start":
      progress.openTools.add(event.id);
      progress.isTextLast = false;
      return;
    case "tool-end":
      progress.openTools.delete(event.id);
      return;
    case "usage":
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
): SessionEndReason => {
  if (ended?.reason === "rate-limit") return "rate-limit";
  if (asked) return asked;
  if (!ended) return "error";
  return ended.reason === "completed" ? "handoff" : "error";
};

export type WatchPorts = {
  clock: Clock;
  onEvent: (event: AgentEvent, progress: Progress) => void;
  /** resolves when somebody outside asks for the end */
  stopRequested: Promise<StopRequest>;
  stopNowRequested: Promise<StopRequest>;
};

/**
 * Follows a running session to its end: stops it gently when a limit is reached or somebody asks, and at
 * once when it does not heed. Never sums usage over calls (the drivers report single calls).
 */
export const watchAgent = async (
  { clock, onEvent, stopRequested, stopNowRequested }: WatchPorts,
  session: DriverSession,
  limits: WatchLimits,
): Promise<WatchResult> => {
  const startedMs = clock.elapsed();
  const moment = (): Moment => ({ now: clock.now(), elapsed: clock.elapsed() });
  const progress: Progress = {
    startedMs,
    lastEventMs: startedMs,
    openTools: new Set(),
    contextSource: "none",
    texts: [],
    isTextLast: false,
    ...(limits.windowTokens === undefined ? {} : { windowTokens: limits.windowTokens }),
  };
  const events = session.events[Symbol.asyncIterator]();
  const asked: { reason?: SessionEndReason; atMs: number } = { atMs: 0 };
  let ended: Extract<AgentEvent, { type: "ended" }> | undefined;
  let pending = events.next();
  let stop: Promise<StopRequest> | undefined = stopRequested;

  // A full context can wait for the running tool to end; every other reason cannot.
  const giveUpMs = (): number =>
    asked.reason === "context" && progress.openTools.size > 0
      ? Math.max(startedMs + limits.sessionMs, asked.atMs + limits.stopGraceMs)
      : asked.atMs + limits.stopGraceMs;

  const ask = async (reason: SessionEndReason): Promise<void> => {
    asked.reason = reason;
    asked.atMs = clock.elapsed();
    await session.stopGently({ mayCutTool: reason !== "context" });
  };

  while (!ended) {
    const timer = new AbortController();
    const waitMs = asked.reason
      ? Math.max(0, giveUpMs() - clock.elapsed())
      : nextDeadlineMs(progress, limits, moment());
    const happened = await Promise.race([
      pending.then((next) => ({ next })),
      clock.sleep(waitMs, timer.signal).then(() => ({ isTime: true as const })),
      stopNowRequested.then((request) => ({ request })),
      ...(stop ? [stop.then((request) => ({ request }))] : []),
    ]);
    timer.abort();
    if ("request" in happened) {
      stop = undefined;
      if (happened.request.isNow) {
        asked.reason = happened.request.reason;
        break;
      }
      if (!asked.reason) await ask(happened.request.reason);
      continue;
    }
    if ("next" in happened) {
      if (happened.next.done) break;
      const event = happened.next.value;
      remember(progress, event, clock.elapsed());
      if (event.type === "ended") ended = event;
      else if (!asked.reason) {
        const reason = reasonToStop(progress, limits, moment());
        if (reason) await ask(reason);
      }
      onEvent(event, progress);
      pending = events.next();
      continue;
    }
    if (asked.reason && clock.elapsed() >= giveUpMs()) break;
    const reason = asked.reason ? undefined : reasonToStop(progress, limits, moment());
    if (reason) await ask(reason);
  }
  const endReason = endReasonOf(ended, asked.reason);
  return {
    progress,
    endReason,
    lastText: ended?.lastText ?? progress.texts.at(-1) ?? "",
    ended,
    ...(endReason === "error" ? { error: ended?.message ?? describeEnd(ended) } : {}),
  };
};

const describeEnd = (ended: Extract<AgentEvent, { type: "ended" }> | undefined): string => {
  if (!ended) return "the agent ended without a word";
  if (ended.signal) return `the agent was ended by ${ended.signal}`;
  return `the agent ended with ${ended.reason} (exit ${ended.exitCode ?? "unknown"})`;
};
