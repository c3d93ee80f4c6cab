import { outagePauseMs } from "../session/try-again.ts";
import type { SessionOutcome } from "../session/session-ports.ts";
import type { SessionRecord, WorkerState } from "../state/worker-state.ts";
import { countLast, findSameError, isOutage, limitWords, outageWords, resetMs } from "./decide-next.ts";

/** Until when an agent of a chain is passed over, and why; `isFailing`: for nothing that passes by itself. */
export type FoundHold = { untilMs: number; reason: string; isFailing?: true };

const LEAST_OUTAGE_MS = 60_000;
/** An expired log-in or a refused model may be mended by a person meanwhile. */
const FAILING_MS = 3_600_000;

/** Why the agent whose session has just ended cannot work on for now, if it cannot: by what it said in its own sessions. */
export const findHold = (
  state: WorkerState,
  outcome: SessionOutcome,
  nowMs: number,
): FoundHold | undefined => {
  const { record } = outcome;
  const own = state.sessions.filter(({ agent }) => agent === state.agent);
  const inARow = (matches: (session: SessionRecord) => boolean) => countLast(own, matches);
  if (record.endReason === "rate-limit")
    return {
      untilMs: resetMs(outcome.result.progress.rateLimit?.resetsAtMs, {
        inARow: inARow((session) => session.endReason === "rate-limit"),
        nowMs,
      }),
      reason: `rate limit: ${limitWords(outcome)}`,
    };
  if (isOutage(record)) {
    const pauseMs = outagePauseMs(state.limits.backoffSeconds, inARow(isOutage));
    return {
      untilMs: nowMs + Math.max(LEAST_OUTAGE_MS, pauseMs),
      reason: outageWords(record.error ?? ""),
    };
  }
  const failed = record.endReason === "error" ? findSameError(state, record.error ?? "") : undefined;
  return failed === undefined ? undefined : { untilMs: nowMs + FAILING_MS, reason: failed, isFailing: true };
};
