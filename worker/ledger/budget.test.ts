import fc from "fast-check";
import { expect, test } from "vitest";
import { ceilingsOf } from "./budget.ts";

const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();
const share = (atMs: number, costUsd: number, agent = "claude") => ({
  session: "s",
  worker: "w",
  project: "p",
  agent,
  atMs,
  costUsd,
});
const budget = { perNightUsd: 10, perDayUsd: 20 };

test("a night goes from noon to noon, a day from midnight to midnight", () => {
  const shares = [share(at(22, 11), 1), share(at(22, 13), 2), share(at(22, 23), 4), share(at(23, 1), 8)];
  const [night, day] = ceilingsOf(budget, { shares }, { nowMs: at(23, 3) });
  expect(night).toMatchObject({ period: "night", spentUsd: 14, sinceMs: at(22, 12), untilMs: at(23, 12) });
  expect(day).toMatchObject({ period: "day", spentUsd: 8, sinceMs: at(23, 0), untilMs: at(24, 0) });
  expect(ceilingsOf(budget, { shares }, { nowMs: at(23, 12) })[0]?.spentUsd).toBe(0);
});

test("with an agent only that agent's spending counts, and what is not declared is no ceiling", () => {
  const shares = [share(at(23, 1), 8), share(at(23, 2), 1, "codex")];
  expect(ceilingsOf({ perDayUsd: 5 }, { shares }, { nowMs: at(23, 3), agent: "codex" })).toEqual([
    { period: "day", limitUsd: 5, spentUsd: 1, sinceMs: at(23, 0), untilMs: at(24, 0) },
  ]);
});

test("every moment is in its period, and the next one begins where it ends, also where clocks are set", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }), (nowMs) => {
      for (const { sinceMs, untilMs } of ceilingsOf(budget, { shares: [] }, { nowMs })) {
        expect(sinceMs).toBeLessThanOrEqual(nowMs);
        expect(untilMs).toBeGreaterThan(nowMs);
        const [next] = ceilingsOf(budget, { shares: [] }, { nowMs: untilMs }).filter(
          (one) => one.sinceMs === untilMs,
        );
        expect(next).toBeDefined();
      }
    }),
  );
});
