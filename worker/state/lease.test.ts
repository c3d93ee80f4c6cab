import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { runningTime } from "../../core/running-time.ts";
import { nestMark } from "../../core/process-tree.ts";
import { waitFor } from "../../test/wait-for.ts";
import { LEASE_LOST, leaseLine, leaseMarks, runMark, taskMark, watchLease } from "./lease.ts";

const watching = (firstMs: number) => {
  const time = { running: 500 };
  const line = new PassThrough();
  const lost: string[] = [];
  const { close } = watchLease({ running: () => time.running, line, firstMs }, (reason) => lost.push(reason));
  return { time, line, lost, close };
};

test("is lost at once, and once, when the line to the pool ends", async () => {
  const { line, lost } = watching(60_000);
  line.end();
  await waitFor("the end to be noticed", () => lost.length > 0);
  expect(lost).toEqual([LEASE_LOST.poolGone]);
});

test("holds for as long as the pool said last, however its lines are cut, and no longer", async () => {
  const { time, line, lost, close } = watching(1_000);
  const text = leaseLine(40_000);
  line.write(text.slice(0, 5));
  line.write(text.slice(5));
  await waitFor("the line to be read", () => line.readableLength === 0);
  time.running += 39_999;
  expect(lost).toEqual([]);
  time.running += 3_600_000; // the machine slept
  await waitFor("the lease to be over", () => lost.length > 0);
  expect(lost).toEqual([LEASE_LOST.expired]);
  close();
});

test("a process that was held up reads what its pool said meanwhile before it gives the work up", async () => {
  const { time, line, lost, close } = watching(100);
  const untilMs = performance.now() + 1_500; // three looks are due when it goes on
  while (performance.now() < untilMs);
  time.running += 1_500;
  const isRead = new Promise((resolve) => line.once("data", resolve));
  setImmediate(() => line.write(leaseLine(60_000))); // behind the timers, as a socket is
  await isRead;
  time.running += 50_000;
  expect(lost).toEqual([]);
  time.running += 20_000;
  await waitFor("the lease to be over", () => lost.length > 0);
  close();
});

test("time that the clock of the day jumps is no time of a lease", () => {
  const before = runningTime();
  const { now } = Date;
  Date.now = () => now() + 3_600_000;
  try {
    expect(runningTime() - before).toBeLessThan(process.platform === "linux" ? 600_000 : Infinity);
  } finally {
    Date.now = now;
  }
});

test("marks every process with its task and with its run", () => {
  const lease = { task: 12, token: 7 };
  const marks = leaseMarks({ ...lease, mark: runMark("a1b2", lease) });
  expect(marks.split(":")).toEqual([taskMark("a1b2", 12), runMark("a1b2", lease)]);
  expect(nestMark({ NIGHTSHIFT_SESSION_MARK: marks }, "session").split(":")).toHaveLength(3);
});
