import type { GiveBack, JobState } from "./job.ts";

/*
 * What becomes of a task, as plain functions of its row: the store on PostgreSQL asks them behind its locks, and
 * the one in memory, on which the queue is tried out under thousands of schedules, asks the same ones.
 */

export type Need = { id: number; state: JobState; reason: string | null };

/** What a task that nobody runs should be, from what it comes after and who works in its directory. */
export const decideReadiness = (
  needs: readonly Need[],
  directoryHolder: number | undefined,
): { state: "ready" | "waiting" | "blocked"; reason: string | null } => {
  const bad = needs.find(({ state }) => ["failed", "cancelled", "unverified", "blocked"].includes(state));
  if (bad)
    return {
      state: "blocked",
      reason:
        `task ${bad.id} ${bad.state === "blocked" ? "is" : "ended"} ${bad.state}${bad.reason ? `: ${bad.reason}` : ""}`.slice(
          0,
          500,
        ),
    };
  const open = needs.filter(({ state }) => state !== "complete").map(({ id }) => id);
  if (open.length > 0)
    return { state: "waiting", reason: `for ${open.length === 1 ? "task" : "tasks"} ${open.join(", ")}` };
  if (directoryHolder !== undefined)
    return { state: "waiting", reason: `for its directory: task ${directoryHolder} works in it` };
  return { state: "ready", reason: null };
};

/** A host that has a result nobody else has may be away for this long before the work is done again. */
export const OUTBOX_HOLD_MS = 3_600_000;
/** What cannot be prepared on any host for this long is told to a person. */
const STUCK_MS = 24 * 3_600_000;
const MAX_DELAY_SECONDS = 300;

export type Broken = {
  attempts: number;
  maxAttempts: number;
  setbacks: number;
  /** since when nothing could be prepared, in milliseconds */
  stuckMs: number;
  cancel: string | null;
};

export type AfterBreak = { attempts: number; setbacks: number } & (
  | { state: "failed" | "cancelled"; reason: string }
  | { state: "waiting"; delaySeconds: number }
);

const doubled = (baseSeconds: number, times: number): number =>
  Math.min(MAX_DELAY_SECONDS, baseSeconds * 2 ** times);

/** A run that ended without a result: the task waits to run again, or has failed, or was to be cancelled anyway. */
export const decideBreak = (row: Broken, { how, why, delaySeconds = 0 }: GiveBack): AfterBreak => {
  const attempts = row.attempts + (how === "lost" || how === "broken off" ? 1 : 0);
  const setbacks = row.setbacks + (how === "not prepared" ? 1 : 0);
  const counts = { attempts, setbacks };
  if (row.cancel !== null) return { ...counts, state: "cancelled", reason: "cancelled" };
  if (attempts > row.attempts && attempts >= row.maxAttempts)
    return { ...counts, state: "failed", reason: `${attempts} runs broke off; the last one: ${why}` };
  if (how === "not prepared" && row.stuckMs >= STUCK_MS)
    return { ...counts, state: "failed", reason: `could not be prepared for a day; the last time: ${why}` };
  const backoff =
    how === "not prepared"
      ? doubled(10, row.setbacks)
      : attempts > row.attempts && attempts > 1
        ? doubled(5, attempts - 2)
        : 0;
  return { ...counts, state: "waiting", delaySeconds: Math.max(delaySeconds, backoff) };
};
