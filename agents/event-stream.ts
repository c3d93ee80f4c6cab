import { withoutUndefined } from "../core/without-undefined.ts";
import { systemClock } from "../core/clock.ts";
import type { AgentEndReason, AgentEvent } from "./driver.ts";
import { createEventQueue } from "./event-queue.ts";
import type { Spending } from "./spending.ts";

type Ended = Extract<AgentEvent, { type: "ended" }>;

/** What may be absent may be undefined, too: drivers write what they have found, the stream leaves out the rest. */
type Loose<T> = T extends unknown
  ? { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] }
  : never;

/** That a turn is over, and how. */
export type TurnEnd = Loose<
  {
    type: "turn-end";
    reason: AgentEndReason;
    /** the last message, where it is more than the last `text` */
    text?: string;
    message?: string;
    /** when a rate limit ends, where that is known */
    resetsAtMs?: number;
    exitCode?: number;
  } & Spending
>;

type Event = Exclude<AgentEvent, Ended>;

/** What an agent's output means: an event, or that its turn is over. */
export type TurnSignal = Loose<Event> | TurnEnd;

/** What is said of an end beside its reason and what the session has spent. */
export type EndDetails = Partial<Loose<Pick<Ended, "lastText" | "exitCode" | "signal" | "message">>>;

const SHOWN_WARNINGS = 5;
const ACTIVITY_EVERY_MS = 1_000;
/** Of each kind that is not known: enough to see what it is. */
const KEPT_UNKNOWN = 3;
const KEPT_KINDS = 100;
const KEPT_CHARS = 2_000;

/**
 * The event side of a session, shared by every driver: keeps what `ended` has to repeat (last text, cost),
 * lets `ended` through exactly once, and does not let a babbling program flood its supervisor with warnings.
 */
export const createEventStream = () => {
  const queue = createEventQueue<AgentEvent>();
  let lastText = "";
  let spending: Spending = {};
  let activityMs = -Infinity;
  let warnings = 0;
  let hasEnded = false;
  const unknown = new Map<string, number>();

  const noteSpending = ({ totalCostUsd, totalTokens, tokensByClass }: Loose<Spending>) => {
    spending = { ...spending, ...withoutUndefined({ totalCostUsd, totalTokens, tokensByClass }) };
  };
  const noteActivity = () => {
    const now = systemClock.elapsed();
    if (now - activityMs < ACTIVITY_EVERY_MS) return;
    activityMs = now;
    queue.push({ type: "activity" });
  };

  const countUnknown = (kind: string): number => {
    const counted = unknown.has(kind) || unknown.size < KEPT_KINDS ? kind : "more kinds";
    const count = (unknown.get(counted) ?? 0) + 1;
    unknown.set(counted, count);
    return counted === kind ? count : Infinity;
  };

  const push = (signal: Loose<Event>, onHandled?: () => void) => {
    const event = withoutUndefined(signal) as Event;
    if (event.type === "warning" && ++warnings > SHOWN_WARNINGS) return;
    if (event.type === "unknown") {
      if (countUnknown(event.kind) <= KEPT_UNKNOWN)
        queue.push({ ...event, line: event.line.slice(0, KEPT_CHARS) });
      return;
    }
    if (event.type === "text") lastText = event.text;
    if (event.type === "usage") noteSpending(event);
    queue.push(event, onHandled);
  };

  const end = (reason: AgentEndReason, details: EndDetails = {}) => {
    if (hasEnded) return;
    hasEnded = true;
    const unknownEvents = unknown.size === 0 ? undefined : Object.fromEntries(unknown);
    queue.push(
      withoutUndefined({ type: "ended", reason, lastText, ...details, ...spending, unknownEvents }) as Ended,
    );
    queue.close();
  };

  /** Ends the session with the end of its turn. */
  const endTurn = (turn: TurnEnd) => {
    const { reason, text, message, resetsAtMs, exitCode } = turn;
    if (reason === "rate-limit") push({ type: "rate-limit", message: message ?? "", resetsAtMs });
    noteSpending(turn);
    end(reason, { lastText: text || lastText, exitCode, message });
  };

  return {
    events: queue,
    push,
    end,
    endTurn,
    spent: () => spending,
    noteSpending,
    noteActivity,
    hasEnded: () => hasEnded,
  };
};
