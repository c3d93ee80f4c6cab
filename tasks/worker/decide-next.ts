import type { SessionOutcome } from "../session/session-ports.ts";
import type { SessionRecord, WorkerState, WorkerStatus } from "./worker-state.ts";

/** What the loop does after a session; the remarks open the next prompt. */
export type Next =
  | { kind: "end"; status: WorkerStatus; reason: string }
  | { kind: "continue"; pauseMs: number; remarks: string[] }
  | { kind: "wait"; untilMs: number; remarks: string[] }
  | { kind: "switch"; agent?: string; model?: string; remarks: string[] };

const MAX_BACKOFF_MS = 3_600_000;
const UNKNOWN_RESET_MS = 60_000;

/** An error without what changes from time to time: numbers, paths, hashes. */
export const errorFingerprint = (error: string): string =>
  error
    .split("\n")[0]
    ?.replace(/(?:\/[\w.@-]+)+/g, "<path>")
    .replace(/\b[0-9a-f]{8,}\b/gi, "<id>")
    .replace(/\d+/g, "<n>")
    .trim()
    .slice(0, 200) ?? "";

const countLast = (
  sessions: readonly SessionRecord[],
  matches: (record: SessionRecord) => boolean,
): number => {
  const fromEnd = sessions.toReversed();
  const stop = fromEnd.findIndex((record) => !matches(record));
  return stop < 0 ? fromEnd.length : stop;
};

const backoffMs = (baseSeconds: number, failures: number): number =>
  Math.min(MAX_BACKOFF_MS, baseSeconds * 1000 * 2 ** Math.max(0, failures - 1));

const afterDone = (state: WorkerState, { healthAfter, workAfter }: SessionOutcome): Next => {
  const verdict = healthAfter?.record.verdict ?? "none";
  if (verdict === "blocked" && state.done.gates)
    return {
      kind: "continue",
      pauseMs: 0,
      remarks: [
        "The previous session said DONE, but the gates are red, so the work is not done. Their report is below.",
      ],
    };
  const left = workAfter.git?.changed.map(({ path }) => path) ?? [];
  if (state.done.cleanTree && left.length > 0)
    return {
      kind: "continue",
      pauseMs: 0,
      remarks: [
        `The previous session said DONE, but left this uncommitted, so the work is not done: ${left.slice(0, 20).join(", ")}. Commit what belongs to the task and remove the rest.`,
      ],
    };
  return verdict === "none"
    ? { kind: "end", status: "unverified", reason: "the agent says DONE, but no gate ran to verify it" }
    : {
        kind: "end",
        status: "complete",
        reason: verdict === "healthy" ? "DONE, and the gates are healthy" : "DONE; gates are not required",
      };
};

const afterRateLimit = (state: WorkerState, outcome: SessionOutcome, nowMs: number): Next => {
  const limit = outcome.result.progress.rateLimit;
  const words = limit?.message ?? outcome.result.ended?.message ?? "rate limit";
  if (state.onRateLimit === "stop") return { kind: "end", status: "stopped", reason: `rate limit: ${words}` };
  const [kind, value] = state.onRateLimit.split(/:(.*)/s);
  if (kind === "agent" && value && value !== state.agent)
    return { kind: "switch", agent: value, remarks: [] };
  if (kind === "model" && value && value !== state.model)
    return { kind: "switch", model: value, remarks: [] };
  const inARow = countLast(state.sessions, (record) => record.endReason === "rate-limit");
  // Never at once: a reset in the past, or none at all, would be a busy loop against the limit.
  const unknownMs = nowMs + Math.min(MAX_BACKOFF_MS, UNKNOWN_RESET_MS * 2 ** Math.max(0, inARow - 1));
  const known = limit?.resetsAtMs;
  const isUsable = known !== undefined && (known > nowMs || inARow <= 1);
  return { kind: "wait", untilMs: isUsable ? Math.max(known, nowMs + 1_000) : unknownMs, remarks: [] };
};

const afterError = (state: WorkerState, error: string): Next | undefined => {
  const fingerprint = errorFingerprint(error);
  const counted = state.sessions.filter((record) => record.isCounted);
  const same = countLast(
    counted,
    (record) => errorFingerprint(record.error ?? "") === fingerprint && record.endReason === "error",
  );
  if (same >= state.limits.sameErrors)
    return { kind: "end", status: "failed", reason: `the same error ${same} times in a row: ${error}` };
  return undefined;
};

const bounds = (state: WorkerState, { record }: SessionOutcome, nowMs: number): Next | undefined => {
  const { limits } = state;
  if (limits.totalHours !== undefined && nowMs >= Date.parse(state.startedAt) + limits.totalHours * 3_600_000)
    return { kind: "end", status: "stopped", reason: `total time limit of ${limits.totalHours} h` };
  if (record.endReason === "cost" || (limits.costUsd !== undefined && state.costUsd >= limits.costUsd))
    return {
      kind: "end",
      status: "stopped",
      reason: `cost limit: ${state.costUsd.toFixed(2)} USD, ${state.tokens} tokens used`,
    };
  if (limits.tokens !== undefined && state.tokens >= limits.tokens)
    return {
      kind: "end",
      status: "stopped",
      reason: `token limit: ${state.tokens} of ${limits.tokens} used`,
    };
  return undefined;
};

/** Decides what comes after a session; `state` already holds its record. A plain function of its inputs. */
export const decideNext = (state: WorkerState, outcome: SessionOutcome, nowMs: number): Next => {
  const { record } = outcome;
  if (record.endReason === "stopped") return { kind: "end", status: "stopped", reason: "stopped by request" };
  const done = record.endReason === "done" ? afterDone(state, outcome) : undefined;
  if (done?.kind === "end") return done;
  const bound = bounds(state, outcome, nowMs);
  if (bound) return bound;
  if (record.endReason === "rate-limit") return afterRateLimit(state, outcome, nowMs);
  const failed = record.endReason === "error" ? afterError(state, record.error ?? "") : undefined;
  if (failed) return failed;
  const counted = state.sessions.filter((session) => session.isCounted);
  const idle = countLast(counted, (session) => !session.hasChanged);
  if (idle >= state.limits.stalledSessions)
    return {
      kind: "end",
      status: "stalled",
      reason: `${idle} sessions in a row without a commit or a change`,
    };
  if (state.session >= state.max)
    return {
      kind: "end",
      status: "max-reached",
      reason: `${state.max} sessions used${done ? "; the last DONE was refused" : ""}`,
    };
  if (done) return done;
  const failures = countLast(counted, (session) => session.endReason === "error");
  return {
    kind: "continue",
    pauseMs: failures > 0 ? backoffMs(state.limits.backoffSeconds, failures) : 0,
    remarks: failures > 0 ? [`The previous session ended with an error: ${record.error ?? "unknown"}`] : [],
  };
};
