import fc from "fast-check";
import { expect, test } from "vitest";
import { playSchedule } from "./fixtures/model/play-schedule.ts";
import { type Schedule, calmSchedules, schedules } from "./fixtures/model/schedule.ts";

const SEED = Number(process.env["NIGHTSHIFT_SEED"] ?? Date.now() % 1_000_000);
const QUICK_RUNS = 60;
const RUNS = Number(process.env["NIGHTSHIFT_MODEL_RUNS"] ?? 1_000);

const holds = async (schedule: Schedule): Promise<void> => {
  const { violations, trace } = await playSchedule(schedule);
  if (violations.length > 0) throw new Error(`${violations.join("\n")}\n\n${trace.slice(-120).join("\n")}`);
};

const tryOut = async (which: fc.Arbitrary<Schedule>, numRuns: number): Promise<void> => {
  await fc.assert(fc.asyncProperty(which, holds), {
    seed: SEED,
    numRuns,
  });
};

const KILLED = `whatever is killed, cut off, cancelled and unpushable: no work is lost or done twice, nothing is complete that is not published, nothing is stranded`;
const AWAY = `a repository that is away and clocks that are set cost no attempt, and every task is complete in the end`;
/** However many were asked for, on however busy a machine. */
const LONG = { tags: ["long"], timeout: 3_600_000 };

test(KILLED, () => tryOut(schedules, QUICK_RUNS));
test(AWAY, () => tryOut(calmSchedules, QUICK_RUNS));
test(`in ${RUNS} schedules, ${KILLED}`, LONG, () => tryOut(schedules, RUNS));
test(`in ${RUNS} schedules, ${AWAY}`, LONG, () => tryOut(calmSchedules, RUNS));

test("the same schedule runs the same way each time", async () => {
  for (const schedule of fc.sample(schedules, { seed: SEED, numRuns: 5 })) {
    const [first, second] = [await playSchedule(schedule), await playSchedule(schedule)];
    expect(second.trace).toEqual(first.trace);
    expect(first.trace.length).toBeGreaterThan(schedule.tasks.length);
  }
});
