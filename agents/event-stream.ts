import type { AgentEndReason, AgentEvent } from "./driver.ts";
import { createEventQueue } from "./event-queue.ts";

type Ended = Extract<AgentEvent, { type: "ended" }>;

const SHOWN_WARNINGS = 5;

/**
 * The event side of a session, shared by every driver: keeps what `ended` has to repeat (last text, cost),
 * lets `ended` through exactly once, and does not let a babbling program flood its supervisor with warnings.
 */
export const createEventStream = () => {
  const queue = createEventQueue<AgentEvent>();
  const last: { text: string; totalCostUsd?: number; totalTokens?: number } = { text: "" };
  let warnings = 0;
  let hasEnded = false;

  const noteSpending = (from: { totalCostUsd?: number; totalTokens?: number }) => {
    if (from.totalCostUsd !== undefined) last.totalCostUsd = from.totalCostUsd;
    if (from.totalTokens !== undefined) last.totalTokens = from.totalTokens;
  };
  const spent = () => ({
    ...(last.totalCostUsd === undefined ? {} : { totalCostUsd: last.totalCostUsd }),
    ...(last.totalTokens === undefined ? {} : { totalTokens: last.totalTokens }),
  });

  const push = (event: Exclude<AgentEvent, Ended>, onHandled?: () => void) => {
    if (event.type === "warning" && ++warnings > SHOWN_WARNINGS) return;
    if (event.type === "text") last.text = event.text;
    if (event.type === "usage") noteSpending(event);
    queue.push(event, onHandled);
  };

  const end = (reason: AgentEndReason, details: Omit<Ended, "type" | "reason" | "lastText"> = {}) => {
    if (hasEnded) return;
    hasEnded = true;
    noteSpending(details);
    queue.push({ type: "ended", reason, lastText: last.text, ...details, ...spent() });
    queue.close();
  };

  return {
    events: queue,
    push,
    end,
    spent,
    noteSpending,
    hasEnded: () => hasEnded,
    setLastText: (text: string) => {
      last.text = text;
    },
  };
};

export type EventStream = ReturnType<typeof createEventStream>;
