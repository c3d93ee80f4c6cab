import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ListedWorker } from "../state/worker-store.ts";
import { findErrors } from "./find-errors.ts";
import { type ErrorGroups, findCure, groupErrors } from "./known-errors.ts";
import { type WorkerEvent, readNews } from "./read-news.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-news-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const event = (type: string, more: Record<string, unknown> = {}): WorkerEvent => ({
  at: "2026-11-20T02:00:00.000Z",
  type,
  ...more,
});
const lines = (...numbers: number[]) =>
  numbers.map((n) => `${JSON.stringify(event("text", { n }))}\n`).join("");
const numbersOf = (events: WorkerEvent[]) => events.map((one) => one["n"]);

test("each event is read once, half a line not yet, and none is missed through a rotation", () => {
  const path = join(folder, "w.events.jsonl");
  const start = { inode: 0, offset: 0 };
  expect(readNews(path, start)).toEqual({ events: [], read: start });
  writeFileSync(path, lines(1, 2) + '{"at":"x"');
  const first = readNews(path, start);
  expect(numbersOf(first.events)).toEqual([1, 2]);
  appendFileSync(path, ',"type":"text","n":3}\nno json\n');
  const second = readNews(path, first.read);
  expect(numbersOf(second.events)).toEqual([3]);
  appendFileSync(path, lines(4));
  renameSync(path, `${path}.1`);
  writeFileSync(path, lines(5));
  const third = readNews(path, second.read);
  expect(numbersOf(third.events)).toEqual([4, 5]);
  expect(readNews(path, third.read).events).toEqual([]);
});

test("errors are what ends sessions, blocks gates, fails workers, and tools that fail again and again", () => {
  const tool = (id: string, isError: boolean) => [
    event("tool-start", { session: 2, id, name: "run", summary: `npm test -- case-${id}` }),
    event("tool-end", { session: 2, id, isError }),
  ];
  const found = findErrors([
    event("ended", { session: 1, reason: "completed" }),
    event("ended", { session: 2, reason: "error", message: "cannot read /tmp/a/b.txt after 30 ms\nstack" }),
    event("gates", { session: 2, verdict: "blocked", firstError: "a.ts(3,4): error TS2322" }),
    event("gates", { session: 2, verdict: "healthy" }),
    ...tool("1", true),
    ...tool("2", true),
    ...tool("3", false),
    ...tool("4", true),
    event("end", { status: "stalled", reason: "3 sessions in a row" }),
    event("end", { status: "complete", reason: "DONE" }),
  ]);
  expect(found.map(({ message }) => message)).toEqual([
    "session ended with an error: cannot read /tmp/a/b.txt after 30 ms",
    "gates blocked: a.ts(3,4): error TS2322",
    "worker stalled: 3 sessions in a row",
    "tool failed 3 times: run npm test -- case-4",
  ]);
  expect(found[0]?.fingerprint).toBe("session ended with an error: cannot read <path> after <n> ms");
});

const session = (number: number, more: Record<string, unknown> = {}) => ({
  number,
  startedAt: "",
  endedAt: "x",
  endReason: "handoff",
  commits: [`c${number} change ${number}`],
  ...more,
});
const workerWith = (...sessions: ReturnType<typeof session>[]) =>
  ({ name: "docs", agent: "claude", task: "x", sessions }) as unknown as ListedWorker;
const HEALTHY = { verdict: "healthy" };

test("the cure is the first session behind the last sight of an error that left healthy gates", () => {
  const groups: ErrorGroups = {};
  const seen = (at: number) => ({
    at: `t${at}`,
    session: at,
    fingerprint: "f",
    message: "session ended with an error: x",
  });
  const worker = workerWith(
    session(1, { endReason: "error" }),
    session(2, { endReason: "error", gateAfter: HEALTHY }),
    session(3),
    session(4, { gateBefore: { verdict: "blocked" }, conversationId: "id4" }),
    session(5, { gateBefore: HEALTHY }),
  );
  expect(groupErrors(groups, worker, [seen(1), seen(2)])).toHaveLength(1);
  const error = groups["f"];
  expect(error).toMatchObject({ count: 2, session: 2 });
  expect(error && findCure(error, worker)).toEqual({
    worker: "docs",
    session: 4,
    conversationId: "claude:id4",
    what: "its commits: c4 change 4",
  });
});

test("an error that comes back was not cured; without healthy gates nobody knows", () => {
  const groups: ErrorGroups = {};
  const gate = (at: number) => ({ at: `t${at}`, session: at, fingerprint: "g", message: "gates blocked: x" });
  const before = workerWith(session(1), session(2));
  groupErrors(groups, before, [gate(1)]);
  const error = groups["g"];
  if (!error) throw new Error("no group");
  expect(findCure(error, before)).toBeUndefined();
  error.cure = { worker: "docs", session: 1, what: "too early" };
  groupErrors(groups, before, [gate(2)]);
  expect(error).toMatchObject({ session: 2, count: 2 });
  expect(error.cure).toBeUndefined();
});
