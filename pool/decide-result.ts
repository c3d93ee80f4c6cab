import type { AppError } from "../core/errors.ts";
import { LEASE_LOST } from "../worker/state/lease.ts";
import { ACTIVE, type WorkerState } from "../worker/state/worker-state.ts";
import type { GiveBack, RunEnd } from "../queue/job.ts";

/** What the queue has to be told of a run. */
export type ToldResult = ({ kind: "end" } & RunEnd) | ({ kind: "back" } & GiveBack);

type Known = {
  /** the worker's last state, when it came to work */
  state?: Pick<WorkerState, "status" | "stopReason">;
  /** why it did not */
  error?: AppError;
  /** whether its supervisor was to be started when that happened */
  isStarting?: boolean;
  wish: { why: "cancel" | "drain" } | undefined;
  /** why we ended it, when we did */
  hung?: string | undefined;
};

/** Somebody else uses the directory now, by other means than the queue. */
const LOCKED_DELAY_SECONDS = 30;
/** A disk that cannot be used now may be later, or on another host. */
const BROKEN_DELAY_SECONDS = 10;
const LOST = new Set<string>(Object.values(LEASE_LOST));
const PASSING = new Set(["unavailable", "storage-full", "timeout", "interrupted"]);

/** An end that is not in plain words already. */
const END_WORDS: Partial<Record<WorkerState["status"], string>> = { "max-reached": "out of sessions" };

/** git and others explain themselves in paragraphs. */
export const oneLine = (text: string): string =>
  text
    .trim()
    .split(/\s*\n\s*/)
    .join("; ")
    .slice(0, 2_000);

/** Decides what becomes of a task when its run is over. A plain function of its inputs. */
export const resultOf = ({ state, error, isStarting = false, wish, hung }: Known): ToldResult => {
  const verdict = state?.status ?? "none";
  const why = oneLine(state?.stopReason ?? error?.message ?? "stopped before it began");
  if (state?.status === "complete" || state?.status === "unverified")
    return { kind: "end", state: state.status, reason: why, verdict };
  if (wish?.why === "cancel") return { kind: "end", state: "cancelled", reason: "cancelled", verdict };
  if (state && ACTIVE.includes(state.status))
    return { kind: "back", how: "broken off", why: hung ?? "its supervisor was killed" };
  if (state?.status === "stopped" && LOST.has(why)) return { kind: "back", how: "broken off", why };
  if (wish?.why === "drain" && (!state || state.status === "stopped"))
    return { kind: "back", how: "given back", why: "its pool was stopped" };
  if (state)
    return {
      kind: "end",
      state: "failed",
      reason: state.status === "failed" ? why : `${END_WORDS[state.status] ?? state.status}: ${why}`,
      verdict,
    };
  if (error?.code === "locked")
    return { kind: "back", how: "not prepared", why, delaySeconds: LOCKED_DELAY_SECONDS };
  if (error && PASSING.has(error.code))
    return isStarting
      ? { kind: "back", how: "broken off", why, delaySeconds: BROKEN_DELAY_SECONDS }
      : { kind: "back", how: "not prepared", why };
  return { kind: "end", state: "failed", reason: why, verdict };
};

/** Whether a worker of a task ended by itself, and before somebody asked to try the task again. */
export const isCarriedOn = (previous: Pick<WorkerState, "lease">, retriedFrom: number): boolean =>
  (previous.lease?.token ?? 0) > retriedFrom;
