import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGit } from "../../core/git.ts";
import type { SessionRecord } from "../state/worker-state.ts";
import type { ListedWorker } from "../state/worker-store.ts";
import { findDiffStat, findRange } from "./commit-stats.ts";
import { readLastNote } from "./last-note.ts";
import { createReport, isSince } from "./report.ts";

const NOW = Date.parse("2026-11-22T08:00:00Z");
const at = (hoursAgo: number) => new Date(NOW - hoursAgo * 3_600_000).toISOString();

const session = (fields: Partial<SessionRecord> = {}): SessionRecord => ({
  number: 1,
  startedAt: at(8),
  isCounted: true,
  commits: [],
  hasChanged: false,
  mark: "m",
  ...fields,
});

const worker = (name: string, fields: Partial<ListedWorker> = {}): ListedWorker =>
  ({
    name,
    dir: `/work/${name}`,
    agent: "claude",
    shown: "complete",
    max: 10,
    sessions: [session()],
    costUsd: 0,
    tokens: 0,
    remarks: [],
    startedAt: at(8),
    updatedAt: at(1),
    endedAt: at(1),
    ...fields,
  }) as ListedWorker;

const NOTHING = { stat: undefined, note: undefined, calls: [] };
const reportOf = (...workers: ListedWorker[]) =>
  createReport(
    workers.map((one) => ({ worker: one, evidence: NOTHING })),
    { nowMs: NOW },
  );

let dir = "";
const git = (...args: string[]) =>
  execFileSync("git", ["-C", dir, "-c", "user.name=R", "-c", "user.email=r@localhost", ...args], {
    encoding: "utf8",
  }).trim();

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-report-")));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("those that need a person come first, then what goes on, then what is done", () => {
  const report = reportOf(
    worker("done"),
    worker("goes-on", { shown: "running", session: 2, sessions: [session(), session({ number: 2 })] }),
    worker("broken", { shown: "failed", stopReason: "the same error three times" }),
    worker("asked", { shown: "stopped", stopReason: "stop requested" }),
    worker("spent", { shown: "stopped", stopReason: "cost limit: 5.01 of 5.00 USD used" }),
  );
  expect(report.workers.map(({ name, needsYou }) => [name, needsYou])).toEqual([
    ["broken", true],
    ["spent", true],
    ["goes-on", false],
    ["done", false],
    ["asked", false],
  ]);
  expect(report.workers.map(({ next }) => next)).toEqual([
    "worker log broken",
    "worker resume spent",
    "worker log goes-on -f",
    "worker log done",
    "worker resume asked",
  ]);
  expect(report.workers[2]?.why).toBe("in session 2 of 10");
});

test("the totals are the sums, and a crash ends a worker's time when it was last heard of", () => {
  const report = reportOf(
    worker("one", { costUsd: 1.5, sessions: [session({ commits: ["abc x"], criticStops: 2 })] }),
    worker("two", { costUsd: 2, shown: "crashed", endedAt: undefined, updatedAt: at(6) } as never),
  );
  const untold = { isCounted: true, endedAt: at(2), costUsd: undefined } as never;
  expect(reportOf(worker("three", { sessions: [session(untold)] })).totals).toMatchObject({ costUnknown: 1 });
  expect(report.totals).toMatchObject({
    costUnknown: 0,
    workers: 2,
    byOutcome: { complete: 1, crashed: 1 },
    sessions: 2,
    costUsd: 3.5,
    commits: 1,
  });
  const crashed = report.workers.find(({ name }) => name === "two");
  expect(crashed).toMatchObject({ durationMs: 2 * 3_600_000, why: "its supervisor is gone" });
  expect(report.workers.find(({ name }) => name === "one")?.criticStops).toBe(2);
});

test("a worker belongs to the report while it runs, or when it ended within the span", () => {
  const since = NOW - 12 * 3_600_000;
  expect(isSince(worker("recent", { endedAt: at(11) }), since)).toBe(true);
  expect(isSince(worker("old", { endedAt: at(13) }), since)).toBe(false);
  const waiting = worker("waits", { shown: "waiting", endedAt: undefined, updatedAt: at(20) } as never);
  expect(isSince(waiting, since)).toBe(true);
});

test("the difference spans all commits of a worker, from the first one of the repository on", async () => {
  git("init", "--quiet");
  const commit = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    git("add", "--all");
    git("commit", "--quiet", "--message", name);
    return `${git("rev-parse", "--short", "HEAD")} ${name}`;
  };
  const commits = [commit("a", "1\n2\n"), commit("b", "1\n"), commit("a", "1\n3\n")];
  const here = createGit(dir, process.env);
  expect(await findDiffStat(here, commits)).toEqual({ files: 2, insertions: 3, deletions: 0 });
  expect(await findDiffStat(here, commits.slice(2))).toEqual({ files: 1, insertions: 1, deletions: 1 });
  expect(await findDiffStat(here, [])).toBeUndefined();
  expect(await findDiffStat(here, ["0123456789 gone"])).toBeUndefined();
  await expect(findRange(here, ["0123456789 gone"])).rejects.toThrow(/0123456789 gone is no longer/);
});

test("the last note is the agent's own words of the newest handoff", () => {
  const file = join(dir, "002.md");
  writeFileSync(file, "# Handoff of x\n\n- commits: none\n\n## Note\n\nTwo files are left.\n");
  const sessions = [
    session({ handoffFile: "/nowhere" }),
    session({ number: 2, handoffFile: file }),
    session(),
  ];
  expect(readLastNote({ sessions })).toBe("Two files are left.");
  expect(readLastNote({ sessions: [session()] })).toBeUndefined();
  writeFileSync(file, "# Handoff of x, without one");
  expect(readLastNote({ sessions })).toBeUndefined();
});
