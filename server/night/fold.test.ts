import { expect, test } from "vitest";
import { batchOf } from "./fixtures/batches.ts";
import { foldBatch } from "./fold.ts";

const NOW = Date.parse("2026-11-20T22:10:00Z");
const where = { host: "build-1", worker: "docs", now: NOW };

const night = batchOf({
  events: [
    { kind: "session-begin", session: 1 },
    { kind: "usage", session: 1, data: { contextTokens: 20_000, costUsd: 0.2, tokens: 400 } },
    { kind: "gates", session: 1, data: { when: "after", verdict: "blocked", firstError: "error: x" } },
    {
      kind: "commits",
      session: 1,
      data: { commits: ["abc x", "def y"], files: 2, insertions: 5, deletions: 1 },
    },
    { kind: "critic-stop", session: 1, data: { reason: "skips tests" } },
    { kind: "session-end", session: 1, data: { endReason: "context", costUsd: 0.5, tokens: 900 } },
    { kind: "session-begin", session: 2 },
    { kind: "something-new", session: 2, data: { any: "thing" } },
  ],
});

test("folds what happened into the card that the list shows", () => {
  const { run, events } = foldBatch(undefined, night, where);
  expect(run.card).toMatchObject({
    id: "run-00000001",
    host: "build-1",
    worker: "docs",
    project: "atlas",
    sessions: [
      { number: 1, endReason: "context", costUsd: 0.5, tokens: 900, commits: 2 },
      { number: 2, commits: 0 },
    ],
    curve: [[1, Date.parse("2026-11-20T22:00:01Z"), 20_000]],
    gate: { verdict: "blocked", firstError: "error: x" },
    commits: 2,
    insertions: 5,
    criticStops: 1,
  });
  expect(events.map(({ kind }) => kind)).toContain("something-new");
  expect(run.endedAt).toBeUndefined();
});

test("what is told twice changes nothing the second time, and what is new of it is taken", () => {
  const first = foldBatch(undefined, night, where);
  const again = foldBatch(first.run, night, where);
  expect(again.events).toEqual([]);
  expect(again.run).toEqual(first.run);
  const more = batchOf({ events: [{ kind: "critic-stop" }, { kind: "critic-stop" }] }, 8);
  const third = foldBatch(again.run, more, where);
  expect(third.events).toHaveLength(1);
  expect(third.run.card.criticStops).toBe(2);
});

test("another supervisor of the run counts from zero", () => {
  const first = foldBatch(undefined, night, where);
  const next = batchOf({ stream: "stream-2", events: [{ kind: "critic-stop" }] });
  expect(foldBatch(first.run, next, where).run.card.criticStops).toBe(2);
});

test("a curve of a long night stays short and keeps its newest point", () => {
  let run = foldBatch(undefined, night, where).run;
  for (let at = 0; at < 1000; at++) {
    const event = { kind: "usage", session: 2, data: { contextTokens: at } };
    run = foldBatch(run, batchOf({ events: [event] }, 9 + at), where).run;
  }
  expect(run.card.curve.length).toBeLessThanOrEqual(96);
  expect(run.card.curve.at(-1)?.[2]).toBe(999);
});

test("figures that are none, and times that are none, are not believed", () => {
  const events = [
    { kind: "usage", session: 1, data: { contextTokens: "many", costUsd: -4 }, at: "yesterday" },
    { kind: "commits", session: 1, data: { commits: "none", files: null } },
  ];
  const { run } = foldBatch(undefined, batchOf({ events }), where);
  expect(run.card).toMatchObject({ curve: [], commits: 0, files: 0 });
  expect(foldBatch(undefined, batchOf({ events }), where).events[0]?.at).toBe(NOW);
});

test("the end of a run is when its report says so", () => {
  const ended = batchOf({ report: { status: "complete", endedAt: "2026-11-20T22:05:00.000Z" } });
  expect(foldBatch(undefined, ended, where).run.endedAt).toBe(Date.parse("2026-11-20T22:05:00Z"));
});
