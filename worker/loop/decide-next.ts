import { plural } from "../../core/plural.ts";
import { isPassingText } from "../../core/passing-failure.ts";
import { describeRefusal, shortReasons } from "../../verdict/describe-verdict.ts";
import { seemsDone } from "../session/closing-line.ts";
import type { SessionOutcome } from "../session/session-ports.ts";
import { findTreeFault } from "../session/tree-fault.ts";
import { LONGEST_OUTAGE_MS, outagePauseMs } from "../session/try-again.ts";
import {
  CRASHED,
  deadlineOf,
  type SessionRecord,
  type WorkerState,
  type WorkerStatus,
} from "../state/worker-state.ts";

/** What the loop does after a session; the remarks open the next prompt. */
export type Next =
  | { kind: "end"; status: WorkerStatus; reason: string }
  | { kind: "continue"; pauseMs: number; remarks: string[] }
  | { kind: "wait"; untilMs: number; reason: string; remarks: string[] }
  | { kind: "switch"; agent?: string; model?: string; remarks: string[] };

const MAX_BACKOFF_MS = 3_600_000;
const UNKNOWN_RESET_MS = 60_000;
/** Subscriptions reset weekly, API budgets monthly. */
const LONGEST_RESET_MS = 32 * 24 * 3_600_000;

/** An error without what changes from time to time: numbers, paths, hashes. */
export const errorFingerprint = (error: string): string =>
  error
    .split("\n")[0]
    ?.replace(/(?:\/[\w.@-]+)+/g, "<path>")
    .replace(/\b[0-9a-f]{8,}\b/gi, "<id>")
    .replace(/\d+/g, "<n>")
    .trim()
    .slice(0, 200) ?? "";

/** It ended for something that passes by itself: an outage tells nothing about the agent or its work. */
export const isOutage = ({ endReason, error }: SessionRecord): boolean =>
  endReason === "error" && isPassingText(error ?? "");

/** The sessions that the circuits look at: since the last resume, without those that tell nothing. */
const telling = (state: WorkerState): SessionRecord[] =>
  state.sessions.filter(
    (record) =>
      record.isCounted &&
      record.number > (state.circuitsFrom ?? 0) &&
      record.error !== CRASHED &&
      !isOutage(record),
  );

export const countLast = (
  sessions: readonly SessionRecord[],
  matches: (record: SessionRecord) => boolean,
): number => {
  const fromEnd = sessions.toReversed();
  const stop = fromEnd.findIndex((record) => !matches(record));
  return stop < 0 ? fromEnd.length : stop;
};

const backoffMs = (baseSeconds: number, failures: number): number =>
  Math.min(MAX_BACKOFF_MS, baseSeconds * 1000 * 2 ** Math.max(0, failures - 1));

const refuseDone = (why: string): Next => ({ kind: "continue", pauseMs: 0, remarks: [why] });

/**
 * Two sessions in a row were refused for nothing but gates that are red in a clean checkout, and the last one began
 * with healthy ones in the work tree: what is missing there the agent has not found, and may not be able to make.
 */
const isRedOnlyElsewhere = ({ sessions }: WorkerState): boolean => {
  const isRed = (session: SessionRecord | undefined) =>
    session?.verdict?.where === "clean" &&
    session.verdict.reasons.length === 1 &&
    session.verdict.reasons[0]?.kind === "gates";
  const [before, last] = sessions.slice(-2);
  return isRed(before) && isRed(last) && last?.gateBefore?.verdict === "healthy";
};

const afterDone = (
  state: WorkerState,
  { healthAfter, verdict, workTested: tested, workAfter: now }: SessionOutcome,
): Next => {
  if (verdict && isRedOnlyElsewhere(state))
    return {
      kind: "end",
      status: "unverified",
      reason:
        "the agent says DONE for the second time, and the gates are healthy in the project's folder but red in a clean checkout; what they need has to be committed, or made by verify.prepare (docs/verdict.md)",
    };
  if (verdict?.word === "refused")
    return refuseDone(
      `The previous session said DONE, but it was refused, so the work is not done:\n${describeRefusal(verdict)}`,
    );
  if (verdict?.word === "unverified")
    return {
      kind: "end",
      status: "unverified",
      reason: `the agent says DONE, but ${shortReasons(verdict.reasons)}`,
    };
  const gates = healthAfter?.record.verdict ?? "none";
  if (gates === "blocked" && state.done.gates)
    return refuseDone(
      "The previous session said DONE, but the gates are red, so the work is not done. Their report is below.",
    );
  const fault = findTreeFault(state.done, { tested, now });
  if (fault !== undefined) return refuseDone(`The previous session said DONE, but ${fault}`);
  return gates === "none"
    ? { kind: "end", status: "unverified", reason: "the agent says DONE, but no gate ran to verify it" }
    : {
        kind: "end",
        status: "complete",
        reason: gates === "healthy" ? "DONE, and the gates are healthy" : "DONE; gates are not required",
      };
};

/** What the agent said of the limit. */
export const limitWords = ({ result }: SessionOutcome): string =>
  result.progress.rateLimit?.message ?? result.ended?.message ?? "rate limit";

const afterRateLimit = (state: WorkerState, outcome: SessionOutcome, nowMs: number): Next => {
  const limit = outcome.result.progress.rateLimit;
  if (state.onRateLimit === "stop")
    return { kind: "end", status: "stopped", reason: `rate limit: ${limitWords(outcome)}` };
  const [kind, value] = state.onRateLimit.split(/:(.*)/s);
  if (kind === "agent" && value && value !== state.agent)
    return { kind: "switch", agent: value, remarks: [] };
  if (kind === "model" && value && value !== state.model)
    return { kind: "switch", model: value, remarks: [] };
  const untilMs = resetMs(limit?.resetsAtMs, {
    inARow: countLast(state.sessions, (record) => record.endReason === "rate-limit"),
    nowMs,
  });
  const deadline = deadlineOf(state);
  if (untilMs > deadline)
    return {
      kind: "end",
      status: "stopped",
      reason: `rate limit until ${new Date(untilMs).toISOString()}, past the total time limit of ${state.limits.totalHours} h`,
    };
  return { kind: "wait", untilMs, reason: RATE_LIMIT, remarks: [] };
};

export const RATE_LIMIT = "the rate limit";

/** A wait for something that passes by itself, in words. */
export const outageWords = (error: string): string =>
  `the outage to end (${error.split("\n")[0]?.slice(0, 300) ?? ""})`;

/** An outage is waited out: it says nothing about the work, however often the same error comes. */
const afterOutage = (state: WorkerState, error: string, nowMs: number): Next => {
  const failures = countLast(state.sessions, isOutage);
  const first = state.sessions.at(-failures);
  const untilMs = nowMs + outagePauseMs(state.limits.backoffSeconds, failures);
  if (untilMs > deadlineOf(state))
    return {
      kind: "end",
      status: "stopped",
      reason: `total time limit of ${state.limits.totalHours} h, reached while waiting for ${outageWords(error)}`,
    };
  if (first && untilMs > Date.parse(first.startedAt) + LONGEST_OUTAGE_MS)
    return {
      kind: "end",
      status: "failed",
      reason: `gave up after waiting 24 hours for ${outageWords(error)}`,
    };
  return {
    kind: "wait",
    untilMs,
    reason: outageWords(error),
    remarks: [`The previous session was cut off by an outage: ${error}`],
  };
};

/**
 * When to try again. Never at once, and a reset that turned out wrong is not believed a second time: a
 * limit that comes straight back would be a busy loop against it. Nor is one beyond any limit there is, which
 * would be waited for for ever.
 */
export const resetMs = (
  known: number | undefined,
  { inARow, nowMs }: { inARow: number; nowMs: number },
): number => {
  const backoff = Math.min(MAX_BACKOFF_MS, UNKNOWN_RESET_MS * 2 ** Math.max(0, inARow - 2));
  if (known === undefined || known > nowMs + LONGEST_RESET_MS) return nowMs + backoff;
  return Math.max(known, nowMs + (inARow <= 1 ? 1_000 : backoff));
};

/** That the same error has come too often in a row, in words. */
export const findSameError = (state: WorkerState, error: string): string | undefined => {
  const fingerprint = errorFingerprint(error);
  const same = countLast(
    telling(state),
    (record) => errorFingerprint(record.error ?? "") === fingerprint && record.endReason === "error",
  );
  return same >= state.limits.sameErrors
    ? `the same error ${plural(same, "time")} in a row: ${error}`
    : undefined;
};

const bounds = (state: WorkerState, { record }: SessionOutcome, nowMs: number): Next | undefined => {
  const { limits } = state;
  if (nowMs >= deadlineOf(state))
    return { kind: "end", status: "stopped", reason: `total time limit of ${limits.totalHours} h` };
  const spent = spentBudget(state);
  if (spent) return { kind: "end", status: "stopped", reason: spent };
  if (record.endReason === "cost")
    return {
      kind: "end",
      status: "stopped",
      reason: `cost limit: ${state.costUsd.toFixed(2)} USD, ${state.tokens} tokens used`,
    };
  return undefined;
};

const NEARLY_DONE =
  "The previous session wrote DONE, but not as the one closing word at the first column of its last line, so it counts as a handoff. If nothing is left to do, end with that line.";

/** Which budget of money or tokens is used up, in words; undefined while there is some left. */
export const spentBudget = ({
  limits,
  costUsd,
  tokens,
}: Pick<WorkerState, "limits" | "costUsd" | "tokens">): string | undefined => {
  if (limits.costUsd !== undefined && costUsd >= limits.costUsd)
    return `cost limit: ${costUsd.toFixed(2)} of ${limits.costUsd.toFixed(2)} USD used`;
  if (limits.tokens !== undefined && tokens >= limits.tokens)
    return `token limit: ${tokens} of ${limits.tokens} used`;
  return undefined;
};

const GO_ON: Next = { kind: "continue", pauseMs: 0, remarks: [] };

/**
 * Decides what comes after a session; `state` already holds its record. A plain function of its inputs.
 * @param hasSubstitute another agent is there for one that is limited, down or failing
 */
export const decideNext = (
  state: WorkerState,
  outcome: SessionOutcome,
  nowMs: number,
  { hasSubstitute = false }: { hasSubstitute?: boolean } = {},
): Next => {
  const { record } = outcome;
  if (record.endReason === "stopped") return { kind: "end", status: "stopped", reason: "stopped by request" };
  const done = record.endReason === "done" ? afterDone(state, outcome) : undefined;
  if (done?.kind === "end") return done;
  const bound = bounds(state, outcome, nowMs);
  if (bound) return bound;
  if (hasSubstitute && state.session < state.max) return GO_ON;
  if (record.endReason === "rate-limit") return afterRateLimit(state, outcome, nowMs);
  if (isOutage(record) && state.session < state.max) return afterOutage(state, record.error ?? "", nowMs);
  const failed = record.endReason === "error" ? findSameError(state, record.error ?? "") : undefined;
  if (failed !== undefined) return { kind: "end", status: "failed", reason: failed };
  const counted = telling(state);
  const idle = countLast(counted, (session) => !session.hasChanged);
  if (idle >= state.limits.stalledSessions)
    return {
      kind: "end",
      status: "stalled",
      reason: `${plural(idle, "session")} in a row without a commit or a change`,
    };
  if (state.session >= state.max)
    return {
      kind: "end",
      status: "max-reached",
      reason: `${plural(state.max, "session")} used${done ? "; the last DONE was refused" : ""}`,
    };
  if (done) return done;
  const failures = countLast(counted, (session) => session.endReason === "error");
  if (failures > 0)
    return {
      kind: "continue",
      pauseMs: backoffMs(state.limits.backoffSeconds, failures),
      remarks: [`The previous session ended with an error: ${record.error ?? "unknown"}`],
    };
  return { kind: "continue", pauseMs: 0, remarks: seemsDone(outcome.result.lastText) ? [NEARLY_DONE] : [] };
};
