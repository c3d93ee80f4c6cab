import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { ownIdentity } from "../core/process-identity.ts";
import { saveState } from "../worker/state/save-state.ts";
import type { WorkerState } from "../worker/state/worker-state.ts";
import { listWorkers } from "../worker/state/worker-store.ts";
import { forgetOldRuns } from "./forget-old-runs.ts";
import type { PoolEvent } from "./pool-ports.ts";

let root: string;
let told: Omit<PoolEvent, "at">[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "nightshift-runs-"));
  told = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const DAY = 86_400_000;
const OPEN_TASK = 7;
const ago = (days: number): string => new Date(Date.now() - days * DAY).toISOString();
const put = (name: string, daysAgo: number, change: Partial<WorkerState> = {}, task = 1) =>
  saveState(join(root, "workers"), {
    version: 1,
    name,
    status: "complete",
    sessions: [],
    lease: { task, token: 1, host: "a", pool: "a-1", mark: `task-q-${task}-1` },
    supervisor: { pid: 1, startTime: "none", bootId: "none" },
    updatedAt: ago(daysAgo),
    endedAt: ago(daysAgo),
    ...change,
  } as unknown as WorkerState);
const forget = () =>
  forgetOldRuns(
    {
      clock: systemClock,
      env: process.env,
      workersHome: join(root, "workers"),
      poolHome: join(root, "pool"),
      tell: (event) => told.push(event),
    },
    async (ids) => ids.filter((id) => id === OPEN_TASK),
  );
const left = () => listWorkers(join(root, "workers")).workers.map(({ name }) => name);
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@localhost", ...args], {
    cwd: root,
    encoding: "utf8",
  });
/** A clone with a tree of one commit of its own and a file that is not committed. */
const tree = (name: string): string => {
  const path = join(root, "pool/work", name);
  git("init", "--quiet", "--bare", "pool/clones/c.git");
  const empty = git("-C", "pool/clones/c.git", "hash-object", "-w", "-t", "tree", "/dev/null").trim();
  const first = git("-C", "pool/clones/c.git", "commit-tree", "-m", "first", empty).trim();
  git("-C", "pool/clones/c.git", "worktree", "add", "--quiet", "-b", `nightshift/${name}-1`, path, first);
  writeFileSync(join(path, "done.txt"), "done\n");
  git("-C", path, "add", "--all");
  git("-C", path, "commit", "--quiet", "--message", "work");
  writeFileSync(join(path, "half.txt"), "half\n");
  return path;
};

test("forgets the runs of a pool whose last sign of life is a week old, and no other worker", async () => {
  put("old", 8);
  put("crashed", 8, { status: "running", endedAt: undefined } as unknown as Partial<WorkerState>);
  put("young", 6);
  put("somebodys-own", 8, { lease: undefined } as unknown as Partial<WorkerState>);
  put("alive", 8, { supervisor: ownIdentity() });
  put("in-a-worktree", 8, { worktree: { path: "/x", branch: "b", repository: "/r" } });
  put("still-to-run", 8, {}, OPEN_TASK);
  await forget();
  expect(left()).toEqual(["alive", "in-a-worktree", "somebodys-own", "still-to-run", "young"]);
});

test("removes the tree of a run that another host has finished, and loses nothing of it", async () => {
  put("lost-1-abcd", 8, { status: "running", endedAt: undefined } as unknown as Partial<WorkerState>);
  const path = tree("lost-1-abcd");
  await forget();
  expect(left()).toEqual([]);
  expect(existsSync(path)).toBe(false);
  const clone = join(root, "pool/clones/c.git");
  expect(git("-C", clone, "show", "nightshift/lost-1-abcd-1:done.txt")).toBe("done\n");
  expect(git("-C", clone, "show", "refs/nightshift/rescue/lost-1-abcd/1:half.txt")).toBe("half\n");
  expect(git("-C", clone, "worktree", "list").trim().split("\n")).toHaveLength(1);
});

test("removes a tree that nothing is written down of when it is a week old, not before", async () => {
  const path = tree("orphan-2-abcd");
  await forget();
  expect(existsSync(path)).toBe(true);
  const then = new Date(Date.now() - 8 * DAY);
  utimesSync(path, then, then);
  await forget();
  expect(existsSync(path)).toBe(false);
});

test("keeps files that are not rescued, and says where they are", async () => {
  put("secret-3-abcd", 8);
  writeFileSync(join(tree("secret-3-abcd"), ".env"), "KEY=1\n");
  mkdirSync(join(root, "pool/work/secret-3-abcd.kept-1"));
  await forget();
  expect(readdirSync(join(root, "pool/work"))).toEqual(["secret-3-abcd.kept-1", "secret-3-abcd.kept-2"]);
  expect(existsSync(join(root, "pool/work/secret-3-abcd.kept-2/.env"))).toBe(true);
  expect(told.map(({ message }) => message).join()).toMatch(/\.env.*secret-3-abcd\.kept-2/);
});
