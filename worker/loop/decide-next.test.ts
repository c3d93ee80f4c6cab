import { describe, expect, test } from "vitest";
import type { SessionOutcome } from "../session/session-ports.ts";
import { decideNext, errorFingerprint, type Next } from "./decide-next.ts";
import { CRASHED, DEFAULT_LIMITS, type SessionRecord, type WorkerState } from "../state/worker-state.ts";

const NOW = Date.UTC(2026, 10, 20, 3);
const [MINUTE, HOUR] = [60_000, 3_600_000];
type Session = Partial<SessionRecord>;

/** What comes after these sessions, the last of which has just ended; each changed something unless it says so. */
const after = (
  sessions: readonly Session[],
  { state = {}, outcome = {} }: { state?: Partial<WorkerState>; outcome?: Partial<SessionOutcome> } = {},
): Next => {
  const records = sessions.map((session, index) => ({
    number: index + 1,
    isCounted: true,
    hasChanged: true,
    ...session,
  })) as SessionRecord[];
  const whole = {
    agent: "claude",
    max: 10,
    limits: DEFAULT_LIMITS,
    done: { gates: true, cleanTree: true },
    onRateLimit: "wait",
    session: records.filter(({ isCounted }) => isCounted).length,
    sessions: records,
    costUsd: 0,
    tokens: 0,
    startedAt: new Date(NOW - HOUR).toISOString(),
    ...state,
  } as WorkerState;
  const ended = {
    record: records.at(-1),
    result: { progress: {}, lastText: "" },
    workAfter: { git: { changed: [] }, mark: "m" },
    ...outcome,
  } as unknown as SessionOutcome;
  return decideNext(whole, ended, NOW);
};
type Verdict = "healthy" | "blocked" | "none";
const gates = (verdict: Verdict) => ({ healthAfter: { record: { verdict } } }) as Partial<SessionOutcome>;
const left = (...paths: string[]) => {
  const changed = paths.map((path) => ({ path }));
  return { workAfter: { git: { changed }, mark: "m" } } as unknown as Partial<SessionOutcome>;
};
const limited = (resetsAtMs?: number) => {
  const rateLimit = { message: "try later", resetsAtMs };
  return { result: { progress: { rateLimit } } } as unknown as Partial<SessionOutcome>;
};
const DONE: Session = { endReason: "done" };
const HANDOFF: Session = { endReason: "handoff" };
const failing = (error: string): Session => ({ endReason: "error", error });
const minutesAgo = (minutes: number) => new Date(NOW - minutes * MINUTE).toISOString();

describe("after an outage", () => {
  const OUTAGE: Session = {
    ...failing("fetch failed: connect ECONNREFUSED 127.0.0.1:80"),
    isCounted: false,
    startedAt: minutesAgo(1),
  };

  test("it waits longer and longer, ten minutes at most, and never calls it the same error", () => {
    const waits = [1, 2, 3, 10, 200].map((times) => after(Array.from({ length: times }, () => OUTAGE)));
    const untilMs = [5_000, 10_000, 20_000, 600_000, 600_000].map((ms) => NOW + ms);
    expect(waits).toMatchObject(untilMs.map((until) => ({ kind: "wait", untilMs: until })));
    expect(waits[0]).toMatchObject({ reason: expect.stringContaining("the outage to end (fetch failed") });
  });

  test("the worker's total time ends the waiting, and so does a day where no time is set", () => {
    const limits = { ...DEFAULT_LIMITS, totalHours: 1 };
    expect(after([OUTAGE], { state: { limits, startedAt: minutesAgo(59.99) } })).toMatchObject({
      kind: "end",
      status: "stopped",
      reason: expect.stringMatching(/total time limit of 1 h, reached while waiting for the outage/),
    });
    const long = { ...OUTAGE, startedAt: minutesAgo(24 * 60) };
    expect(after([long, OUTAGE])).toMatchObject({ kind: "end", status: "failed" });
    expect(after([long, HANDOFF, OUTAGE])).toMatchObject({ kind: "wait" });
  });

  test("sessions that it cut off are no step towards stalled or failed, but use up what they were given", () => {
    const cut = { ...OUTAGE, isCounted: true, hasChanged: false };
    expect(after([cut, cut, cut, cut])).toMatchObject({ kind: "wait" });
    expect(after([cut, cut], { state: { max: 2 } })).toMatchObject({ status: "max-reached" });
  });
});

describe("after a DONE", () => {
  test("healthy gates and a clean tree make it complete", () => {
    expect(after([DONE], { outcome: gates("healthy") })).toMatchObject({ kind: "end", status: "complete" });
  });

  test("red gates go on at once, and the next prompt says why", () => {
    const next = after([DONE], { outcome: gates("blocked") });
    expect(next).toMatchObject({
      kind: "continue",
      pauseMs: 0,
      remarks: [expect.stringContaining("the gates are red")],
    });
  });

  test("red gates that are not required let it be complete, and say so", () => {
    const state = { done: { gates: false, cleanTree: true } };
    expect(after([DONE], { state, outcome: gates("blocked") })).toMatchObject({
      status: "complete",
      reason: "DONE; gates are not required",
    });
  });

  test("without a gate it is unverified, never complete", () => {
    for (const outcome of [gates("none"), {}])
      expect(after([DONE], { outcome })).toMatchObject({ kind: "end", status: "unverified" });
  });

  test("what is uncommitted goes on, named, unless that is allowed", () => {
    const outcome = { ...gates("healthy"), ...left("a.ts", "b.ts") };
    expect(after([DONE], { outcome })).toMatchObject({
      kind: "continue",
      remarks: [expect.stringContaining("uncommitted, so the work is not done: a.ts, b.ts")],
    });
    const state = { done: { gates: true, cleanTree: false } };
    expect(after([DONE], { state, outcome })).toMatchObject({ status: "complete" });
  });

  test("a repository that git cannot read is not clean, unless that does not matter", () => {
    const workAfter = { git: undefined, mark: "m", problem: "broken index" };
    const outcome = { ...gates("healthy"), workAfter };
    expect(after([DONE], { outcome })).toMatchObject({
      kind: "continue",
      remarks: [expect.stringContaining("git cannot say")],
    });
    const state = { done: { gates: true, cleanTree: false } };
    expect(after([DONE], { state, outcome })).toMatchObject({ status: "complete" });
  });

  test("what the gates left, and a HEAD that moved under them, goes on and says so", () => {
    const tree = (head: string, ...paths: string[]) =>
      ({
        git: { head, branch: "main", dirtyDigest: "x", changed: paths.map((path) => ({ path })) },
        mark: head,
      }) as never;
    const judged = (workTested: never, workAfter: never) =>
      after([DONE], { outcome: { ...gates("healthy"), workTested, workAfter } });
    expect(judged(tree("a"), tree("a"))).toMatchObject({ status: "complete" });
    expect(judged(tree("a"), tree("a", "out.log"))).toMatchObject({
      remarks: [expect.stringMatching(/the gates left this uncommitted behind.*out\.log/)],
    });
    expect(judged(tree("a", "mine.ts"), tree("a", "mine.ts"))).toMatchObject({
      remarks: [expect.stringContaining("but left this uncommitted")],
    });
    expect(judged(tree("a"), tree("b"))).toMatchObject({
      remarks: [expect.stringContaining("HEAD or the branch moved while the gates ran")],
    });
  });

  test("a result counts although a limit is reached in the same moment", () => {
    const limits = { ...DEFAULT_LIMITS, costUsd: 1 };
    const next = after([DONE], { state: { limits, costUsd: 2, max: 1 }, outcome: gates("healthy") });
    expect(next).toMatchObject({ status: "complete" });
  });

  test("a refused one in the last session ends the worker, and the reason says that it was refused", () => {
    expect(after([DONE], { state: { max: 1 }, outcome: gates("blocked") })).toMatchObject({
      status: "max-reached",
      reason: "1 session used; the last DONE was refused",
    });
  });
});

describe("at a limit", () => {
  test("a stop by request wins over everything", () => {
    const limits = { ...DEFAULT_LIMITS, costUsd: 1 };
    expect(after([{ endReason: "stopped" }], { state: { limits, costUsd: 5 } })).toMatchObject({
      reason: "stopped by request",
    });
  });

  test.each<[string, Partial<WorkerState>, string]>([
    ["money", { limits: { ...DEFAULT_LIMITS, costUsd: 2 }, costUsd: 2 }, "cost limit: 2.00 of 2.00 USD used"],
    ["tokens", { limits: { ...DEFAULT_LIMITS, tokens: 500 }, tokens: 500 }, "token limit: 500 of 500 used"],
    ["hours", { limits: { ...DEFAULT_LIMITS, totalHours: 1 } }, "total time limit of 1 h"],
  ])("%s that are used up to the last end the worker, one less does not", (_, state, reason) => {
    expect(after([HANDOFF], { state })).toEqual({ kind: "end", status: "stopped", reason });
    const less = { ...state, costUsd: 1.99, tokens: 499, startedAt: new Date(NOW - HOUR + 1).toISOString() };
    expect(after([HANDOFF], { state: less })).toMatchObject({ kind: "continue" });
  });

  test("all sessions used end it, one less goes on at once", () => {
    expect(after([HANDOFF, HANDOFF], { state: { max: 2 } })).toMatchObject({ status: "max-reached" });
    expect(after([HANDOFF, HANDOFF], { state: { max: 3 } })).toEqual({
      kind: "continue",
      pauseMs: 0,
      remarks: [],
    });
  });
});

describe("in circles", () => {
  const idle: Session = { endReason: "handoff", hasChanged: false };

  test("three sessions in a row without a change are a stall; one with a change starts over", () => {
    expect(after([idle, idle, idle])).toMatchObject({ status: "stalled" });
    expect(after([idle, idle])).toMatchObject({ kind: "continue" });
    expect(after([idle, idle, HANDOFF, idle, idle])).toMatchObject({ kind: "continue" });
  });

  test("the same error three times in a row fails the worker, whatever its numbers and paths", () => {
    const errors = [1, 22, 333].map((n) =>
      failing(`no model at /srv/${n}/m (request ${n}, 0badcafe${n})\ntrace ${n}`),
    );
    expect(after(errors)).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("the same error 3 times"),
    });
    expect(after([...errors.slice(0, 2), failing("another")])).toMatchObject({ kind: "continue" });
    expect(after([...errors.slice(0, 2), HANDOFF, errors[2] ?? {}])).toMatchObject({ kind: "continue" });
    // A session that ended well has no error, which is not the same as one that was told without a word.
    expect(after([HANDOFF, HANDOFF, failing("")])).toMatchObject({ kind: "continue" });
  });

  test("sessions that a crash or a rate limit cut off, and those before a resume, count for neither", () => {
    const error = failing("no model");
    const crash = failing(CRASHED);
    const uncounted = { ...idle, isCounted: false };
    expect(after([error, error, crash, error])).toMatchObject({ status: "failed" });
    expect(after([crash, crash, crash])).toMatchObject({ kind: "continue" });
    expect(after([idle, idle, uncounted])).toMatchObject({ kind: "continue" });
    expect(after([error, error, error], { state: { circuitsFrom: 2 } })).toMatchObject({ kind: "continue" });
    expect(after([idle, idle, idle], { state: { circuitsFrom: 1 } })).toMatchObject({ kind: "continue" });
  });

  test("the pause after failures doubles up to an hour, and the next prompt names the error", () => {
    const limits = { ...DEFAULT_LIMITS, sameErrors: 99, stalledSessions: 99, backoffSeconds: 10 };
    const pauses = [1, 2, 3, 9, 30].map((count) => {
      const next = after(
        Array.from({ length: count }, () => failing("no model")),
        { state: { limits, max: 99 } },
      );
      expect(next).toMatchObject({ remarks: ["The previous session ended with an error: no model"] });
      return next.kind === "continue" ? next.pauseMs : Number.NaN;
    });
    expect(pauses).toEqual([10_000, 20_000, 40_000, 2_560_000, HOUR]);
  });

  test.each([
    ["POST /v1/x failed: 503 (id 3f2a9c1e77)", "POST <path> failed: <n> (id <id>)"],
    ["first line 7\nsecond line", "first line <n>"],
    ["", ""],
  ])("the kind of %j is %j", (error, kind) => {
    expect(errorFingerprint(error)).toBe(kind);
  });
});

describe("at a rate limit", () => {
  const hit: Session = { endReason: "rate-limit", isCounted: false };
  const untilMs = (sessions: readonly Session[], resetsAtMs?: number, state: Partial<WorkerState> = {}) => {
    const next = after(sessions, { state, outcome: limited(resetsAtMs) });
    return next.kind === "wait" ? next.untilMs - NOW : next;
  };

  test("waits for the reset that the agent told, and a moment at least", () => {
    expect(untilMs([hit], NOW + 3 * HOUR)).toBe(3 * HOUR);
    expect(untilMs([hit], NOW - HOUR)).toBe(1_000);
  });

  test("without a reset asks after a minute, and less and less often up to an hour", () => {
    expect([1, 2, 3, 4, 20].map((count) => untilMs(Array.from({ length: count }, () => hit)))).toEqual([
      MINUTE,
      MINUTE,
      2 * MINUTE,
      4 * MINUTE,
      HOUR,
    ]);
  });

  test("does not believe a second time in a reset that came to nothing, nor in one beyond any limit", () => {
    expect(untilMs([hit, hit, hit], NOW - HOUR)).toBe(2 * MINUTE);
    expect(untilMs([hit], NOW + 33 * 24 * HOUR)).toBe(MINUTE);
    expect(untilMs([hit], NOW + 31 * 24 * HOUR)).toBe(31 * 24 * HOUR);
  });

  test("does not wait past the total time limit", () => {
    const limits = { ...DEFAULT_LIMITS, totalHours: 2 };
    expect(untilMs([hit], NOW + HOUR, { limits })).toBe(HOUR);
    expect(untilMs([hit], NOW + HOUR + 1, { limits })).toMatchObject({
      status: "stopped",
      reason: expect.stringContaining("past the total time limit of 2 h"),
    });
  });

  test("stops, or goes on with another agent or model, as declared; with the one it has already, it waits", () => {
    const on = (onRateLimit: string) => after([hit], { state: { onRateLimit }, outcome: limited() });
    expect(on("stop")).toMatchObject({ status: "stopped", reason: "rate limit: try later" });
    expect(on("agent:codex")).toMatchObject({ kind: "switch", agent: "codex" });
    expect(on("model:opus:1m")).toMatchObject({ kind: "switch", model: "opus:1m" });
    expect(on("agent:claude")).toMatchObject({ kind: "wait" });
  });
});
