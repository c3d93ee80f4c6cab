import type { AppError } from "../../core/errors.ts";
import { LEASE_LOST } from "../../worker/state/lease.ts";
import { ACTIVE, type WorkerState } from "../../worker/state/worker-state.ts";
import type { GiveBack, RunEnd, RunNote } from "../hold-lease.ts";

/** What the pool has to tell the queue of a run; `lost` is told nobody, because somebody else may have it. */
export type RunResult =
  | { kind: "lost"; reason: string }
  | ({ kind: "end"; note?: RunNote; tidy?: () => Promise<void> } & RunEnd)
  | ({ kind: "back"; note?: RunNote; tidy?: () => Promise<void> } & GiveBack);

/** A result that the queue is told of. */
export type ToldResult = Exclude<RunResult, { kind: "lost" }>;

type Known = {
  /** the worker's last state, when it came to work */
  state?: Pick<WorkerState, "status" | "stopReason">;
  /** why it did not */
  error?: AppError;
  wish: { why: "cancel" | "drain" } | undefined;
  /** why what it did could not be brought to where others find it, when it could not */
  unpublished?: string | undefined;
};

/** Somebody else uses the directory now, by other means than the queue. */
const LOCKED_DELAY_SECONDS = 30;
/** A repository or a disk that cannot be used now may be later, or on another host. */
const BROKEN_DELAY_SECONDS = 10;
const LOST = new Set<string>(Object.values(LEASE_LOST));
const PASSING = new Set(["unavailable", "storage-full", "timeout", "interrupted"]);

/** git and others explain themselves in paragraphs. */
const oneLine = (text: string): string =>
  text
    .trim()
    .split(/\s*\n\s*/)
    .join("; ")
    .slice(0, 2_000);

/** Decides what becomes of a task when its run is over. A plain function of its inputs. */
export const resultOf = ({ state, error, wish, unpublished }: Known): ToldResult => {
  const verdict = state?.status ?? "none";
  const why = oneLine(state?.stopReason ?? error?.message ?? "stopped before it began");
  if (state?.status === "complete" || state?.status === "unverified") {
    if (unpublished === undefined) return { kind: "end", state: state.status, reason: why, verdict };
    // Nobody would have it, and what comes after would begin without it. The next run on this machine only pushes.
    return { kind: "back", why: oneLine(unpublished), isBroken: true, delaySeconds: BROKEN_DELAY_SECONDS };
  }
  if (wish?.why === "cancel") return { kind: "end", state: "cancelled", reason: "cancelled", verdict };
  if (state && ACTIVE.includes(state.status))
    return { kind: "back", why: "its supervisor was killed", isBroken: true };
  if (state?.status === "stopped" && LOST.has(why)) return { kind: "back", why, isBroken: true };
  if (wish?.why === "drain" && (!state || state.status === "stopped"))
    return { kind: "back", why: "its pool was stopped", isBroken: false };
  if (state)
    return {
      kind: "end",
      state: "failed",
      reason: state.status === "failed" ? why : `${state.status}: ${why}`,
      verdict,
    };
  if (error?.code === "locked")
    return { kind: "back", why, isBroken: false, delaySeconds: LOCKED_DELAY_SECONDS };
  if (error && PASSING.has(error.code))
    return { kind: "back", why, isBroken: true, delaySeconds: BROKEN_DELAY_SECONDS };
  return { kind: "end", state: "failed", reason: why, verdict };
};
