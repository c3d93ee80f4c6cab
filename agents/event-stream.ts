import { withoutUndefined } from "../core/without-undefined.ts";
import { systemClock } from "../core/clock.ts";
import type { AgentEndReason, AgentEvent } from "./driver.ts";
import { createEventQueue } from "./event-queue.ts";
import type { Spending } from "./spending.ts";

type Ended = Extract<AgentEvent, { type: "ended" }>;

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

  const noteSpending = ({ totalCostUsd, totalTokens, tokensByClass }: Spending) => {
    spending = {
      ...spending,
      ...withoutUndefined({ totalCostUsd, totalTokens, tokensByClass }),
    };
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

  const push = (event: Exclude<AgentEvent, Ended>, onHandled?: () => void) => {
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

  const end = (reason: AgentEndReason, details: Omit<Ended, "type" | "reason" | "lastText"> = {}) => {
    if (hasEnded) return;
    hasEnded = true;
    noteSpending(details);
    const counted = unknown.size === 0 ? {} : { unknownEvents: Object.fromEntries(unknown) };
    queue.push({ type: "ended", reason, lastText, ...details, ...spending, ...counted });
    queue.close();
  };

  return {
    events: queue,
    push,
    end,
    spent: () => spending,
    noteSpending,
    noteActivity,
    hasEnded: () => hasEnded,
    setLastText: (text: string) => {
      lastText = text;
    },
  };
};

export type EventStream = ReturnType<typeof createEventStream>;
