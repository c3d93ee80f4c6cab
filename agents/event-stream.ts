import { systemClock } from "../core/clock.ts";
import type { AgentEndReason, AgentEvent } from "./driver.ts";
import { createEventQueue } from "./event-queue.ts";
import type { Spending } from "./spending.ts";

type Ended = Extract<AgentEvent, { type: "ended" }>;

const SHOWN_WARNINGS = 5;
const ACTIVITY_EVERY_MS = 1_000;

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

  const noteSpending = ({ totalCostUsd, totalTokens, tokensByClass }: Spending) => {
    spending = {
      ...spending,
      ...(totalCostUsd === undefined ? {} : { totalCostUsd }),
      ...(totalTokens === undefined ? {} : { totalTokens }),
      ...(tokensByClass === undefined ? {} : { tokensByClass }),
    };
  };
  const noteActivity = () => {
    const now = systemClock.elapsed();
    if (now - activityMs < ACTIVITY_EVERY_MS) return;
    activityMs = now;
    queue.push({ type: "activity" });
  };

  const push = (event: Exclude<AgentEvent, Ended>, onHandled?: () => void) => {
    if (event.type === "warning" && ++warnings > SHOWN_WARNINGS) return;
    if (event.type === "text") lastText = event.text;
    if (event.type === "usage") noteSpending(event);
    queue.push(event, onHandled);
  };

  const end = (reason: AgentEndReason, details: Omit<Ended, "type" | "reason" | "lastText"> = {}) => {
    if (hasEnded) return;
    hasEnded = true;
    noteSpending(details);
    queue.push({ type: "ended", reason, lastText, ...details, ...spending });
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
