import { expect, test } from "vitest";
import type { Reason } from "../../verdict/verdict.ts";
import { boundEvents } from "./spool.ts";
import { createToldLedger } from "./told-ledger.ts";
import { type ToldEvent, toTold, toldVerdict, usageOf } from "./told-event.ts";

const KEY = `sk-ant-api03-${"a1B2".repeat(23)}-abcdefAA`;

test("tells of a session's end what the page shows, and no secret", () => {
  const told = toTold("session-end", {
    session: 2,
    number: 2,
    endReason: "error",
    error: `the key ${KEY} was refused`,
    mark: "f00d",
    commits: ["abc x"],
  });
  expect(told).toEqual({
    kind: "session-end",
    data: { endReason: "error", error: expect.stringContaining("[REDACTED") as string },
  });
});

test("says nothing of the prompt, of what the agent says, and of tools that worked", () => {
  for (const type of ["prompt", "text", "tool-start", "started", "ended", "activity"])
    expect(toTold(type, { prompt: "everything", text: "everything" })).toBeUndefined();
  expect(toTold("tool-end", { isError: false })).toBeUndefined();
});

test("tells when the critic stopped a tool, by which rule", () => {
  const reason = "Hook denied: nightshift critic: STOP: skipping-tests: run them instead";
  expect(toTold("tool-end", { isError: true, reason })).toEqual({
    kind: "critic-stop",
    data: { reason: "skipping-tests: run them instead" },
  });
  expect(toTold("tool-end", { isError: true, reason: "exit code 1" })).toBeUndefined();
});

test("tells a verdict with its reasons as lines, where its receipt is, and by whose word it counts", () => {
  const verdict = {
    word: "unverified" as const,
    at: "2026-11-20T03:00:00Z",
    where: "clean" as const,
    reasons: [
      { kind: "sealed", weight: "undecided", file: "gates/health.sh", line: 2, message: "was changed" },
      { kind: "base", weight: "undecided", message: "the base has no tests" },
    ] as Reason[],
    receipt: "/home/me/.workers/docs/receipts/1.json",
  };
  expect(toldVerdict(verdict)).toEqual({
    kind: "verdict",
    data: {
      verdict: "unverified",
      reasons: ["gates/health.sh:2 was changed", "the base has no tests"],
      where: "clean",
      receipt: "/home/me/.workers/docs/receipts/1.json",
    },
  });
  const accepted = { by: "ada", at: "2026-11-20T07:00:00Z" };
  expect(toldVerdict({ ...verdict, accepted }).data).toMatchObject({
    verdict: "complete (accepted)",
    acceptedBy: "ada",
  });
});

test("adds up whom a session called, refused ones first, and tells it now and then", () => {
  const ledger = createToldLedger();
  const call = (host: string, verdict: string, times: number) =>
    ledger.note({ session: 1, host, port: 443, verdict, times, bytesSent: 10, bytesReceived: 20 });
  call("registry.example", "allowed", 1);
  call("evil.example", "refused", 1);
  const first = ledger.take(0, false);
  expect(first).toMatchObject({ session: 1, told: { kind: "ledger", data: { hosts: 2 } } });
  expect(first?.told.data?.["entries"]).toEqual([
    ["evil.example", 443, "refused", 1, 30, ""],
    ["registry.example", 443, "allowed", 1, 30, ""],
  ]);
  call("registry.example", "allowed", 2);
  expect(ledger.take(5_000, false)).toBeUndefined();
  expect(ledger.take(5_000, true)?.told.data?.["hosts"]).toBe(2);
  expect(ledger.take(60_000, true)).toBeUndefined();
});

test("a report of the gates is told in full, up to 64 KiB", () => {
  const short = toTold("gates", { when: "after", verdict: "blocked", report: "error: x" });
  expect(short).toEqual({ kind: "gates", data: { when: "after", verdict: "blocked" }, text: "error: x" });
  const long = toTold("gates", { verdict: "blocked", report: "x".repeat(100_000) });
  expect(long?.text?.length).toBeLessThan(66_000);
});

test("the context is told of a session that goes on, not of one that is over", () => {
  const session = { number: 1, startedAt: "", isCounted: true, commits: [], hasChanged: false, mark: "m" };
  const on = { ...session, contextTokens: 5, costUsd: 0.1 };
  expect(usageOf({ sessions: [on] })).toEqual({ kind: "usage", data: { contextTokens: 5, costUsd: 0.1 } });
  expect(usageOf({ sessions: [{ ...on, endedAt: "now" }] })).toBeUndefined();
  expect(usageOf({ sessions: [session] })).toBeUndefined();
});

test("what waits too long for the server loses what is long first, then its oldest events", () => {
  const events: ToldEvent[] = Array.from({ length: 10 }, (_, at) => ({
    seq: at + 1,
    at: "",
    kind: "commits",
    text: "x".repeat(1_000),
  }));
  expect(boundEvents(events, 100_000)).toEqual(events);
  const less = boundEvents(events, 5_000);
  expect(less).toHaveLength(10);
  expect(less[0]?.text).toBeUndefined();
  expect(less[9]?.text).toBeDefined();
  expect(boundEvents(events, 500).map(({ seq }) => seq)).toEqual([6, 7, 8, 9, 10]);
});
