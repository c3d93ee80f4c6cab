import { expect, test } from "vitest";
import { AppError } from "../../core/errors.ts";
import { LONGEST_OUTAGE_MS, tryAgain, type Wait } from "./try-again.ts";

/** A clock on which sleeping takes no time. */
const virtualClock = () => {
  let nowMs = 1_000_000;
  return {
    now: () => nowMs,
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (!signal?.aborted) nowMs += ms;
    },
  };
};
const full = () => new AppError("unavailable", "git write-tree failed in /r: No space left on device");

const patience = (
  waits: (Wait | undefined)[],
  { deadlineMs = Infinity, stop = new AbortController() } = {},
) => ({
  clock: virtualClock(),
  stop: stop.signal,
  backoffSeconds: 5,
  deadlineMs,
  onWait: (wait: Wait | undefined) => void waits.push(wait),
});

test("a step is repeated until what it lacked is there, with longer and longer pauses, and says what it waits for", async () => {
  const waits: (Wait | undefined)[] = [];
  let tries = 0;
  const answer = await tryAgain(patience(waits), async () => {
    tries += 1;
    if (tries < 4) throw full();
    return "written";
  });
  expect(answer).toBe("written");
  expect(waits).toEqual([
    { reason: full().message, untilMs: 1_005_000 },
    undefined,
    { reason: full().message, untilMs: 1_015_000 },
    undefined,
    { reason: full().message, untilMs: 1_035_000 },
    undefined,
  ]);
});

test("what does not pass by itself is not repeated", async () => {
  let tries = 0;
  const broken = new AppError("config", "no such agent");
  await expect(
    tryAgain(patience([]), async () => {
      tries += 1;
      throw broken;
    }),
  ).rejects.toBe(broken);
  expect(tries).toBe(1);
});

test("nothing is waited for past the total time, nor for longer than a day, nor once a stop was asked for", async () => {
  const tooLate = patience([], { deadlineMs: 1_060_000 });
  const fails = async () => {
    throw full();
  };
  await expect(tryAgain(tooLate, fails)).rejects.toThrow(/No space/);
  expect(tooLate.clock.now()).toBe(1_035_000);
  const aDay = patience([]);
  await expect(tryAgain(aDay, fails)).rejects.toThrow(/No space/);
  expect(aDay.clock.now() - 1_000_000).toBeGreaterThan(LONGEST_OUTAGE_MS - 3_600_000);
  expect(aDay.clock.now() - 1_000_000).toBeLessThanOrEqual(LONGEST_OUTAGE_MS);
  const stop = new AbortController();
  const waits: (Wait | undefined)[] = [];
  const stopped = patience(waits, { stop });
  const onWait = (wait: Wait | undefined) => {
    waits.push(wait);
    stop.abort();
  };
  await expect(tryAgain({ ...stopped, onWait }, fails)).rejects.toThrow(/No space/);
  expect(waits).toHaveLength(2);
});
