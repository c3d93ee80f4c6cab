import { DEFAULT_SANDBOX } from "../sandbox/settings.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scriptedDriver } from "../agents/scripted/driver.ts";
import { ownIdentity } from "../core/process-identity.ts";
import { firstState } from "../worker/loop/first-state.ts";
import { LEASE_LOST, runMark } from "../worker/state/lease.ts";
import { saveState } from "../worker/state/save-state.ts";
import type { WorkerState } from "../worker/state/worker-state.ts";
import type { Claim, Job } from "../queue/job.ts";
import { findOwnRun, takeOver } from "./carry-state.ts";
import { isCarriedOn } from "./decide-result.ts";
import { planRun } from "./plan-run.ts";
import type { Place } from "./prepare-place.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "nightshift-limits-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const STARTED = "2026-01-01T00:00:00.000Z";
const run = (token: number, change: Partial<WorkerState> = {}): WorkerState =>
  ({
    version: 1,
    name: "docs-1-q",
    status: "stopped",
    stopReason: LEASE_LOST.expired,
    max: 3,
    session: 3,
    circuitsFrom: 1,
    startedAt: STARTED,
    createdAt: STARTED,
    sessions: [1, 2, 3].map((number) => ({
      number,
      isCounted: true,
      endedAt: STARTED,
      mark: "m",
      commits: [],
    })),
    supervisor: ownIdentity(),
    remarks: [],
    lease: { task: 1, token, host: "a", pool: "a-1", mark: runMark("q", { task: 1, token }) },
    ...change,
  }) as unknown as WorkerState;

const goOn = async (state: WorkerState, retriedFrom: number) => {
  const config = {
    workers: { docs: { agent: "plays", max: 3 } },
    agents: { plays: { driver: "scripted", script: "x" } },
  };
  const place = {
    dir: root,
    isWorktree: false,
    config: { config, root, path: undefined },
  } as unknown as Place;
  const task = { id: 1, worker: "docs", task: "fix the links" } as Job;
  const previous = { state, isCarriedOn: isCarriedOn(state, retriedFrom) };
  const lease = { task: 1, token: 9, host: "a", pool: "a-1", mark: "m", until: 0 };
  const request = await planRun(
    {},
    { task, name: "docs-1-q", place, previous, sandbox: DEFAULT_SANDBOX },
    lease,
  );
  const now = Date.parse("2026-01-01T05:00:00.000Z");
  return firstState({
    request,
    previous: state,
    driver: scriptedDriver,
    supervisor: ownIdentity(),
    now,
    workTree: undefined,
    sandbox: { mode: "none", kind: "none" },
  });
};

test("another host that goes on judges its own work tree, not the one of the host before", async () => {
  expect(await goOn({ ...run(8), workTree: "/gone/tree" }, 0)).not.toHaveProperty("workTree");
});

test("a lost lease changes no limit: the session that was lost is had again, hours and circuits go on", async () => {
  expect(await goOn(run(8), 0)).toMatchObject({ max: 4, startedAt: STARTED, circuitsFrom: 1 });
  expect(await goOn(run(8, { session: 1, sessions: run(8).sessions.slice(0, 1) }), 0)).toMatchObject({
    max: 3,
  });
});

test("a task that somebody retries gets ten more sessions, all its hours and its circuits closed", async () => {
  expect(await goOn(run(8), 8)).toMatchObject({
    max: 13,
    startedAt: "2026-01-01T05:00:00.000Z",
    circuitsFrom: 3,
  });
});

test("knows its own run by queue and task, whatever token it had, unless another host has gone on since", () => {
  saveState(root, run(8));
  const find = (change: { snapshot?: string; freshFrom?: number; task?: number; queueId?: string } = {}) =>
    findOwnRun(root, "docs-1-q", {
      queueId: change.queueId ?? "q",
      claim: {
        lease: { task: change.task ?? 1, token: 12 },
        snapshot: change.snapshot,
        freshFrom: change.freshFrom ?? 0,
      },
    })?.lease?.token;
  expect(find()).toBe(8);
  expect(find({ snapshot: JSON.stringify(run(8)) })).toBe(8);
  expect(find({ snapshot: JSON.stringify(run(10)) })).toBeUndefined();
  expect(find({ freshFrom: 9 })).toBeUndefined();
  expect(find({ task: 2 })).toBeUndefined();
  expect(find({ queueId: "another" })).toBeUndefined();
});

test("what another host reported is gone on with in the tree of this host, so that its work is seen and rescued", () => {
  const snapshot = JSON.stringify(run(2, { workTree: "/other/host/pool/work/docs-1-q" }));
  const previous = takeOver(root, "docs-1-q", { snapshot, task: { id: 1 } } as unknown as Claim);
  expect(previous?.sessions).toHaveLength(3);
  expect(previous?.workTree).toBeUndefined();
});
