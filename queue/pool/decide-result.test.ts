import { expect, test } from "vitest";
import { AppError } from "../../core/errors.ts";
import { LEASE_LOST } from "../../worker/state/lease.ts";
import type { WorkerStatus } from "../../worker/state/worker-state.ts";
import { resultOf } from "./decide-result.ts";

const ended = (status: WorkerStatus, stopReason = "why") => ({ status, stopReason });
const cancel = { why: "cancel" } as const;
const drain = { why: "drain" } as const;

test.each([
  ["complete", undefined, { kind: "end", state: "complete", reason: "why", verdict: "complete" }],
  ["unverified", undefined, { kind: "end", state: "unverified" }],
  ["stalled", undefined, { kind: "end", state: "failed", reason: "stalled: why", verdict: "stalled" }],
  ["stopped", undefined, { kind: "end", state: "failed", reason: "stopped: why" }],
  ["failed", undefined, { kind: "end", state: "failed", reason: "why", verdict: "failed" }],
  ["stopped", cancel, { kind: "end", state: "cancelled" }],
  ["stopped", drain, { kind: "back", isBroken: false }],
  // It came to its end before it heard that it should stop.
  ["complete", cancel, { kind: "end", state: "complete" }],
  ["max-reached", drain, { kind: "end", state: "failed" }],
  // A supervisor that was killed wrote no end.
  ["running", undefined, { kind: "back", isBroken: true }],
  ["running", cancel, { kind: "end", state: "cancelled" }],
] as const)("a worker that is %s (asked to stop: %o) makes the task %o", (status, wish, result) => {
  expect(resultOf({ state: ended(status), wish })).toMatchObject(result);
});

test("what is done but could not be pushed is not done yet", () => {
  for (const status of ["complete", "unverified"] as const)
    for (const wish of [undefined, cancel, drain])
      expect(resultOf({ state: ended(status), wish, unpublished: "could not push:\n no" })).toMatchObject({
        kind: "back",
        why: "could not push:; no",
        isBroken: true,
        delaySeconds: 10,
      });
  expect(resultOf({ state: ended("stalled"), wish: undefined, unpublished: "no" })).toMatchObject({
    state: "failed",
    reason: "stalled: why",
  });
});

test("a worker that lost its lease makes its task come back, whatever else was wished", () => {
  for (const why of Object.values(LEASE_LOST))
    expect(resultOf({ state: ended("stopped", why), wish: undefined })).toMatchObject({
      kind: "back",
      isBroken: true,
    });
});

test("what may pass by itself, or on another host, is tried again; what cannot be is said once", () => {
  const of = (code: AppError["code"]) =>
    resultOf({ error: new AppError(code, "first\n  second"), wish: undefined });
  expect(of("locked")).toMatchObject({ kind: "back", isBroken: false, delaySeconds: 30 });
  expect(of("unavailable")).toMatchObject({ kind: "back", isBroken: true, delaySeconds: 10 });
  expect(of("config")).toMatchObject({ kind: "end", state: "failed", reason: "first; second" });
});
