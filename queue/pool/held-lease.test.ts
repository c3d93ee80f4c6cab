import { expect, test } from "vitest";
import { HeldLease, askedAt } from "./held-lease.ts";

const settable = () => {
  const time = { now: 1_000_000, elapsed: 500 };
  return { time, clock: { now: () => time.now, elapsed: () => time.elapsed } };
};

test("counts from before the database was asked, and from the last renewal", () => {
  const { time, clock } = settable();
  const held = new HeldLease(clock, 40_000, askedAt(clock));
  time.now += 10_000;
  time.elapsed += 10_000;
  const asked = askedAt(clock);
  time.now += 5_000; // the answer took its time
  time.elapsed += 5_000;
  expect(held.leftMs()).toBe(25_000);
  held.renewed(asked);
  expect(held.leftMs()).toBe(35_000);
});

test("is over by the clock that is further on: neither sleep nor a set clock prolongs it", () => {
  const asleep = settable();
  const slept = new HeldLease(asleep.clock, 40_000, askedAt(asleep.clock));
  asleep.time.now += 3_600_000; // the other clock stood still
  expect(slept.leftMs()).toBe(0);
  const setBack = settable();
  const held = new HeldLease(setBack.clock, 40_000, askedAt(setBack.clock));
  setBack.time.now -= 3_600_000;
  setBack.time.elapsed += 39_000;
  expect(held.leftMs()).toBe(1_000);
});
