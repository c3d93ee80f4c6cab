import { expect, test } from "vitest";
import { HeldLease } from "./held-lease.ts";

test("counts from before the database was asked, and from the last renewal", () => {
  let uptime = 500;
  const held = new HeldLease(() => uptime, 40_000, uptime);
  uptime += 10_000;
  const asked = uptime;
  uptime += 5_000; // the answer took its time
  expect(held.leftMs()).toBe(25_000);
  held.renewed(asked);
  expect(held.leftMs()).toBe(35_000);
});

test("is over when the machine has slept, and an answer that comes late takes nothing back", () => {
  let uptime = 500;
  const held = new HeldLease(() => uptime, 40_000, uptime);
  held.renewed(10_000);
  held.renewed(5_000);
  expect(held.until).toBe(50_000);
  uptime += 3_600_000; // it goes on while the machine sleeps
  expect(held.leftMs()).toBe(0);
});
