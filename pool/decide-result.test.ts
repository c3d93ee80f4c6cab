import { expect, test } from "vitest";
import { AppError } from "../core/errors.ts";
import { LEASE_LOST } from "../worker/state/lease.ts";
import type { WorkerStatus } from "../worker/state/worker-state.ts";
import { resultOf } from "./decide-result.ts";

const ended = (status: WorkerStatus, stopReason = "why") => ({ status, stopReason });
const cancel = { why: "cancel" } as const;
const drain = { why: "drain" } as const;

test.each([
  ["complete", undefined, { kind: "end", state: "complete", reason: "why", verdict: "complete" }],
  ["unverified", undefined, { kind: "end", state: "unverified" }],
  ["stalled", undefined, { kind: "end", state: "failed", reason: "stalled: why", verdict: "stalled" }],
  ["stopped", undefined, { kind: "end", state: "failed", reason: "stopped: why" }],
  ["max-reached", undefined, { kind: "end", state: "failed", reason: "out of sessions: why" }],
  ["failed", undefined, { kind: "end", state: "failed", reason: "why", verdict: "failed" }],
  ["stopped", cancel, { kind: "end", state: "cancelled" }],
  ["stopped", drain, { kind: "back", how: "given back" }],
  // It came to its end before it heard that it should stop.
  ["complete", cancel, { kind: "end", state: "complete" }],
  ["max-reached", drain, { kind: "end", state: "failed" }],
  // A supervisor that was killed wrote no end.
  ["running", undefined, { kind: "back", how: "broken off" }],
  ["running", cancel, { kind: "end", state: "cancelled" }],
] as const)("a worker that is %s (asked to stop: %o) makes the task %o", (status, wish, result) => {
  expect(resultOf({ state: ended(status), wish })).toMatchObject(result);
});

test("a worker that lost its lease makes its task come back, whatever else was wished", () => {
  for (const why of Object.values(LEASE_LOST))
    expect(resultOf({ state: ended("stopped", why), wish: undefined })).toMatchObject({
      kind: "back",
      how: "broken off",
    });
});

test("what may pass by itself, or on another host, is tried again; what cannot be is said once", () => {
  const of = (code: AppError["code"]) =>
    resultOf({ error: new AppError(code, "first\n  second"), wish: undefined });
  expect(of("locked")).toMatchObject({ kind: "back", how: "not prepared", delaySeconds: 30 });
  for (const code of ["unavailable", "timeout", "storage-full"] as const)
    expect(of(code)).toMatchObject({ kind: "back", how: "not prepared" });
  expect(of("config")).toMatchObject({ kind: "end", state: "failed", reason: "first; second" });
});

test("a place that cannot be made ready costs no attempt, a supervisor that cannot be started does", () => {
  const error = new AppError("unavailable", "no");
  expect(resultOf({ error, wish: undefined })).toMatchObject({ how: "not prepared" });
  expect(resultOf({ error, wish: undefined, isStarting: true })).toMatchObject({ how: "broken off" });
  expect(resultOf({ error, wish: cancel })).toMatchObject({ kind: "end", state: "cancelled" });
  expect(resultOf({ error, wish: drain })).toMatchObject({ kind: "back", how: "given back" });
});

test("a supervisor that we ended because it hung is said to have hung", () => {
  expect(resultOf({ state: ended("running"), wish: undefined, hung: "it hung" })).toMatchObject({
    how: "broken off",
    why: "it hung",
  });
});
