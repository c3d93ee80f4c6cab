import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../core/clock.ts";
import { ownIdentity } from "../../core/process-identity.ts";
import type { WorkerState } from "../../worker/state/worker-state.ts";
import { saveState } from "../../worker/state/save-state.ts";
import { listWorkers } from "../../worker/state/worker-store.ts";
import { forgetOldRuns } from "./end-old-runs.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nightshift-runs-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const DAY = 86_400_000;
const LEASE = { task: 1, token: 1, host: "a", pool: "a-1", mark: "task-q-1-1" };

test("forgets the runs of a pool that ended a week ago, and no other worker", () => {
  const put = (name: string, daysAgo: number, change: Partial<WorkerState> = {}) =>
    saveState(home, {
      version: 1,
      name,
      status: "complete",
      sessions: [],
      lease: LEASE,
      supervisor: { pid: 1, startTime: "none", bootId: "none" },
      endedAt: new Date(Date.now() - daysAgo * DAY).toISOString(),
      ...change,
    } as unknown as WorkerState);
  put("old", 8);
  put("young", 6);
  put("somebodys-own", 8, { lease: undefined } as unknown as Partial<WorkerState>);
  put("alive", 8, { supervisor: ownIdentity() });
  put("in-a-worktree", 8, { worktree: { path: "/x", branch: "b", repository: "/r" } });
  forgetOldRuns({ clock: systemClock, workersHome: home });
  const left = listWorkers(home).workers.map(({ name }) => name);
  expect(left).toEqual(["alive", "in-a-worktree", "somebodys-own", "young"]);
});
