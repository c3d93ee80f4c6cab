// @module-tag long

import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { createClock } from "../../core/clock.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const limited = (resetsInMs?: number): ScriptedStep[] => [
  { do: "rateLimit", message: "5-hour limit", ...(resetsInMs === undefined ? {} : { resetsInMs }) },
];

/** A clock that skips every wait of more than ten seconds and tells how long it would have been. */
const skipWaits = (): number[] => {
  const waits: number[] = [];
  let skipped = 0;
  const clock = createClock({ now: () => Date.now() + skipped, elapsed: () => performance.now() });
  night.clock = {
    ...clock,
    sleep: (ms, signal) => {
      // The watch over a running agent is no wait of the loop: its limits here are far above an hour.
      if (ms < 10_000 || ms > 4_000_000) return clock.sleep(ms, signal);
      waits.push(Math.round(ms / 1000));
      skipped += ms;
      return Promise.resolve();
    },
  };
  return waits;
};
const LONG = { idleMinutes: 9_000, sessionMinutes: 10_000 };

test("waits for the reset, shows until when, does not count the session, and goes on", async () => {
  const request = await night.plan({
    health: "exit 0",
    max: 1,
    limits: LONG,
    parts: [{ steps: limited(1_500_000) }, { steps: FINISH }],
  });
  const waits = skipWaits();
  const state = await night.run(request);
  expect(state).toMatchObject({ status: "complete", session: 1, max: 1 });
  expect(state.sessions.map(({ endReason, isCounted }) => [endReason, isCounted])).toEqual([
    ["rate-limit", false],
    ["done", true],
  ]);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThan(1_400);
  expect(state.waitingUntil).toBeUndefined();
  const statuses = night.events().flatMap(({ type, to }) => (type === "status" ? [to] : []));
  expect(statuses).toEqual(["running", "waiting", "running", "complete"]);
});

test("a limit that comes straight back is asked less and less often, whatever reset it names", async () => {
  const request = await night.plan({
    health: "exit 0",
    limits: LONG,
    parts: [...[0, 0, 10, 0, 10].map((ms) => ({ steps: limited(ms) })), { steps: FINISH }],
  });
  const waits = skipWaits();
  expect(await night.run(request)).toMatchObject({ status: "complete", session: 1 });
  expect(waits).toEqual([60, 120, 240, 480]);
});

test("a reset beyond every limit there is, is not waited for", async () => {
  const request = await night.plan({
    health: "exit 0",
    limits: LONG,
    parts: [{ steps: limited(400 * 86_400_000) }, { steps: limited(10 ** 15) }, { steps: FINISH }],
  });
  const waits = skipWaits();
  expect(await night.run(request)).toMatchObject({ status: "complete" });
  expect(waits).toEqual([60, 60]);
});

test("a limit without a reset is asked again after a minute, then two", async () => {
  const request = await night.plan({
    health: "exit 0",
    limits: LONG,
    parts: [{ steps: limited() }, { steps: limited() }, { steps: limited() }, { steps: FINISH }],
  });
  const waits = skipWaits();
  expect(await night.run(request)).toMatchObject({ status: "complete" });
  expect(waits).toEqual([60, 60, 120]);
});

test("the wait survives kill -9 of the supervisor and a resume", async () => {
  const request = await night.plan({
    health: "exit 0",
    parts: [{ steps: limited(3_600_000) }, { steps: FINISH }],
  });
  await night.start(request);
  const waiting = await night.untilShown("waiting");
  const { waitingUntil = "" } = waiting;
  expect(Date.parse(waitingUntil)).toBeGreaterThan(Date.now() + 3_000_000);
  await night.kill();
  expect(night.worker().shown).toBe("crashed");
  await night.start(await night.resumeRequest());
  const again = await night.untilShown("waiting");
  expect(again.waitingUntil).toBe(waitingUntil);
  expect(again.session).toBe(0);
  expect(again.sessions).toHaveLength(1);
});

test("onRateLimit stop ends the worker and says why; a resume goes on", async () => {
  const request = await night.plan({
    health: "exit 0",
    onRateLimit: "stop",
    parts: [{ steps: limited(3_600_000) }, { steps: FINISH }],
  });
  expect(await night.run(request)).toMatchObject({
    status: "stopped",
    stopReason: "rate limit: 5-hour limit",
    session: 0,
  });
  expect(await night.run(await night.resumeRequest())).toMatchObject({ status: "complete", session: 1 });
});

test("onRateLimit agent: goes on at once with the other agent and its own model", async () => {
  const other = night.write("other.script.json", JSON.stringify({ parts: [{ steps: FINISH }] }));
  night.config = { agents: { other: { driver: "scripted", script: other, model: "small" } } };
  const request = await night.plan({
    health: "exit 0",
    onRateLimit: "agent:other",
    model: "large",
    parts: [{ steps: limited(3_600_000) }],
  });
  const state = await night.run(request);
  expect(state).toMatchObject({ status: "complete", agent: "other", model: "small", session: 1 });
});

test("an unknown agent for onRateLimit is refused at the start, not at night", async () => {
  await expect(night.plan({ onRateLimit: "agent:clade", parts: [{ steps: FINISH }] })).rejects.toThrow(
    /no agent "clade"; did you mean claude\?/,
  );
});

test("onRateLimit model: goes on with the other model, and waits when that one is limited, too", async () => {
  const request = await night.plan({
    onRateLimit: "model:small",
    model: "large",
    parts: [{ steps: limited(3_600_000) }],
  });
  await night.start(request);
  expect(await night.untilShown("waiting")).toMatchObject({ model: "small", session: 0 });
});

test("a reset behind the worker's total time ends it instead of waiting in vain", async () => {
  const request = await night.plan({ limits: { totalHours: 1 }, parts: [{ steps: limited(7_200_000) }] });
  expect(await night.run(request)).toMatchObject({
    status: "stopped",
    stopReason: expect.stringMatching(/^rate limit until .*, past the total time limit of 1 h$/),
  });
});
