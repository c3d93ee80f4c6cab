import { expect, test } from "vitest";
import type { ListedWorker } from "../state/worker-store.ts";
import { type Observation, deathOf, decideCare } from "./decide-care.ts";

const NOW = Date.parse("2026-11-20T03:00:00Z");
const POLICIES = { restart: true, restartsPerHour: 3, reap: true, rescue: true, learn: true };

const worker = (more: Partial<ListedWorker>): ListedWorker =>
  ({
    name: "docs",
    status: "crashed",
    recordedStatus: "running",
    shown: "crashed",
    sessions: [],
    updatedAt: "2026-11-20T02:59:00Z",
    supervisor: { pid: 7, startTime: "1", bootId: "b" },
    ...more,
  }) as unknown as ListedWorker;

const look = (more: Partial<Observation> = {}): Observation => ({
  worker: worker({}),
  isHeld: false,
  hasStopRequest: false,
  liveMarks: [],
  record: { version: 1, restarts: [], read: { inode: 0, offset: 0 } },
  ...more,
});
const kinds = (observation: Observation, policies = POLICIES, now = NOW) =>
  decideCare(observation, policies, now).map(({ kind }) => kind);
const restartsAt = (...minutesAgo: number[]) => ({
  version: 1 as const,
  restarts: minutesAgo.map((minutes) => new Date(NOW - minutes * 60_000).toISOString()),
  read: { inode: 0, offset: 0 },
});

test.each(["starting", "running", "waiting", "stopping"] as const)(
  "leaves a living worker that is %s alone",
  (status) => {
    expect(kinds(look({ worker: worker({ status, shown: status }), liveMarks: ["m"] }))).toEqual([]);
  },
);

test("leaves a worker alone that somebody holds, dead as its state may look", () => {
  expect(kinds(look({ isHeld: true, liveMarks: ["m"] }))).toEqual([]);
});

test("ends orphans before it restarts", () => {
  expect(kinds(look({ liveMarks: ["m"] }))).toEqual(["reap", "restart"]);
  expect(kinds(look())).toEqual(["restart"]);
});

test("counts only the restarts of the last hour, and none from the future", () => {
  expect(kinds(look({ record: restartsAt(1, 30, 61, 90) }))).toEqual(["restart"]);
  expect(kinds(look({ record: restartsAt(1, 30, 59) }))).toEqual(["rescue", "settle"]);
  expect(kinds(look({ record: restartsAt(1, -30, -59) }))).toEqual(["restart"]);
});

test("what was settled stays settled for this death, and only for this one", () => {
  const settled = { death: deathOf(worker({})), reason: "x" };
  const record = { ...restartsAt(1, 2, 3), settled, tidied: settled.death };
  expect(kinds(look({ record }))).toEqual([]);
  expect(kinds(look({ record }), POLICIES, NOW + 7_200_000)).toEqual([]);
  const resumed = worker({ supervisor: { pid: 8, startTime: "2", bootId: "b" } });
  expect(kinds(look({ record, worker: resumed }), POLICIES, NOW + 7_200_000)).toEqual(["restart"]);
});

test.each(["complete", "stopped", "failed", "stalled", "max-reached", "unverified"] as const)(
  "a worker that is %s is tidied up once and never started",
  (status) => {
    const ended = worker({ status, shown: status });
    expect(kinds(look({ worker: ended, liveMarks: ["m"] }))).toEqual(["reap", "rescue"]);
    const record = { ...restartsAt(), tidied: deathOf(ended) };
    expect(kinds(look({ worker: ended, record }))).toEqual([]);
  },
);

test("a stop that was asked for is honoured after the crash", () => {
  expect(kinds(look({ hasStopRequest: true }))).toEqual(["rescue", "settle"]);
  expect(kinds(look({ worker: worker({ recordedStatus: "stopping" }) }))).toEqual(["rescue", "settle"]);
});
