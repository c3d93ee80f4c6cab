import fc from "fast-check";
import { expect, test } from "vitest";
import { playSchedule } from "./fixtures/model/play-schedule.ts";
import { type Schedule, calmSchedules, schedules } from "./fixtures/model/schedule.ts";

const SEED = Number(process.env["NIGHTSHIFT_SEED"] ?? Date.now() % 1_000_000);
const RUNS = Number(process.env["NIGHTSHIFT_MODEL_RUNS"] ?? 1_000);
/** A busy machine plays fewer of them. */
const LIMIT_MS = RUNS > 1_000 ? 3_600_000 : Number(process.env["NIGHTSHIFT_MODEL_MS"] ?? 8_000);

const holds = async (schedule: Schedule): Promise<void> => {
  const { violations, trace } = await playSchedule(schedule);
  if (violations.length > 0) throw new Error(`${violations.join("\n")}\n\n${trace.slice(-120).join("\n")}`);
};

const tryOut = async (which: fc.Arbitrary<Schedule>): Promise<void> => {
  await fc.assert(fc.asyncProperty(which, holds), {
    seed: SEED,
    numRuns: RUNS,
    interruptAfterTimeLimit: LIMIT_MS,
    markInterruptAsFailure: false,
  });
};

test(`whatever is killed, cut off, cancelled and unpushable: no work is lost or done twice, nothing is complete that is not published, nothing is stranded (seed ${SEED})`, async () => {
  await tryOut(schedules);
}, 600_000);

test(`a repository that is away and clocks that are set cost no attempt, and every task is complete in the end (seed ${SEED})`, async () => {
  await tryOut(calmSchedules);
}, 600_000);

test("the same schedule runs the same way each time", async () => {
  for (const schedule of fc.sample(schedules, { seed: SEED, numRuns: 5 })) {
    const [first, second] = [await playSchedule(schedule), await playSchedule(schedule)];
    expect(second.trace).toEqual(first.trace);
    expect(first.trace.length).toBeGreaterThan(schedule.tasks.length);
  }
});
