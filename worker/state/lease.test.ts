import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { nestMark } from "../../core/process-tree.ts";
import { waitFor } from "../../test/wait-for.ts";
import { LEASE_LOST, leaseLine, leaseMarks, runMark, taskMark, watchLease } from "./lease.ts";

const watching = (firstMs: number) => {
  const time = { now: 1_000_000, elapsed: 500 };
  const line = new PassThrough();
  const lost: string[] = [];
  const clock = { now: () => time.now, elapsed: () => time.elapsed };
  const { close } = watchLease({ clock, line, firstMs }, (reason) => lost.push(reason));
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
  time.elapsed += 39_999;
  time.now += 39_999;
  expect(lost).toEqual([]);
  time.now += 3_600_000; // the machine slept: only the clock of the day went on
  await waitFor("the lease to be over", () => lost.length > 0);
  expect(lost).toEqual([LEASE_LOST.expired]);
  close();
});

test("marks every process with its task and with its run", () => {
  const lease = { task: 12, token: 7 };
  const marks = leaseMarks({ ...lease, mark: runMark("a1b2", lease) });
  expect(marks.split(":")).toEqual([taskMark("a1b2", 12), runMark("a1b2", lease)]);
  expect(nestMark({ NIGHTSHIFT_SESSION_MARK: marks }, "session").split(":")).toHaveLength(3);
});
