import { insertion, named } from "../../db/rows.ts";
import type { StoreDatabase } from "../../db/statements.ts";
import { all, get, run, runEach, type Steps } from "../../db/steps.ts";
import { type Card, countUnpriced, endedBadly } from "./card.ts";
import type { NewEvent, StoredRun } from "./fold.ts";
import { onStatements } from "./on-statements.ts";
import { KEPT_LOG_LINES, needsTrim, type NightStore } from "./store.ts";

type StoredRunRow = { card: string; streams: string };

const toStored = (row: StoredRunRow): StoredRun => ({
  ...named<StoredRun>(row),
  card: JSON.parse(row.card) as Card,
  streams: JSON.parse(row.streams) as StoredRun["streams"],
});

/**
 * `is_latest`: 0 for a run that a newer one of its worker has taken the place of, 2 for one that ended badly. What
 * somebody has seen needs nobody until it goes on.
 */
const putRun = function* ({ card, streams, ...times }: StoredRun): Steps<void> {
  const [text, values] = insertion("night_runs", {
    id: card.id,
    host: card.host,
    worker: card.worker,
    project: card.project,
    status: card.report.status,
    isLatest: endedBadly(card) ? 2 : 1,
    isSeen: 0,
    cost: card.report.costUsd,
    commits: card.commits,
    ...times,
    streams: JSON.stringify(streams),
    card: JSON.stringify(card),
    unpriced: countUnpriced(card),
    queueTask: card.report.queueTask,
  });
  yield* run(
    `${text} ON CONFLICT (id) DO UPDATE SET project = excluded.project, status = excluded.status,
     is_latest = CASE WHEN night_runs.is_latest = 0 THEN 0 ELSE excluded.is_latest END,
     is_seen = CASE WHEN excluded.ended_at IS NULL THEN 0 ELSE night_runs.is_seen END,
     cost = excluded.cost, commits = excluded.commits, ended_at = excluded.ended_at, reported_at = excluded.reported_at,
     log_lines = excluded.log_lines, streams = excluded.streams, card = excluded.card,
     unpriced = excluded.unpriced, queue_task = excluded.queue_task`,
    values,
  );
};

/** A run that is new is its worker's latest, unless it began before another. */
const SUPERSEDE = `
UPDATE night_runs SET is_latest = 0 WHERE host = $1 AND worker = $2 AND is_latest > 0 AND id <> (
  SELECT id FROM night_runs WHERE host = $1 AND worker = $2 ORDER BY started_at DESC, id DESC LIMIT 1)`;

const ADD_EVENT =
  "INSERT INTO night_events (run, at, kind, session, lines, body, text) VALUES ($1, $2, $3, $4, $5, $6, $7)";

const eventValues = (id: string, { at, kind, session, lines, body, text }: NewEvent) => [
  id,
  at,
  kind,
  session,
  lines,
  JSON.stringify(body),
  text ?? null,
];

/** From which event on the log is kept, and how many lines that are. */
const keepFrom = (sizes: readonly { number: number; lines: number }[], most: number) => {
  let kept = { number: 0, lines: 0 };
  for (const { number, lines } of sizes) {
    if (kept.lines >= most) return kept;
    kept = { number, lines: kept.lines + lines };
  }
  return kept;
};

const trim = function* (id: string): Steps<void> {
  const sizes = yield* all<{ number: number; lines: number }>(
    "SELECT number, lines FROM night_events WHERE run = $1 AND kind = 'log' ORDER BY number DESC",
    [id],
  );
  const kept = keepFrom(sizes, KEPT_LOG_LINES);
  yield* run("DELETE FROM night_events WHERE run = $1 AND kind = 'log' AND number < $2", [id, kept.number]);
  yield* run("UPDATE night_runs SET log_lines = $1 WHERE id = $2", [kept.lines, id]);
};

const OLD = "SELECT id FROM night_runs WHERE reported_at < $1";

/** The night's store, on either database. */
export const createNightStore = (db: StoreDatabase): NightStore => ({
  ...onStatements(db),
  change: (id, fold) =>
    db.transact(function* () {
      // Two servers that are told of one run at once wait here for each other, before there is a row, too.
      yield* db.dialect.lock(`night ${id}`);
      const row = yield* get<StoredRunRow>(
        "SELECT card, reported_at, started_at, ended_at, log_lines, streams FROM night_runs WHERE id = $1",
        [id],
      );
      const { run: changed, events } = fold(row && toStored(row));
      yield* putRun(changed);
      if (!row) yield* run(SUPERSEDE, [changed.card.host, changed.card.worker]);
      yield* runEach(
        ADD_EVENT,
        events.map((event) => eventValues(id, event)),
      );
      if (needsTrim(changed.logLines)) yield* trim(id);
      const stored = yield* get<{ is_latest: number }>("SELECT is_latest FROM night_runs WHERE id = $1", [
        id,
      ]);
      return { run: changed, isLatest: (stored?.is_latest ?? 0) > 0 };
    }),
  forgetBefore: (time) =>
    db.transact(function* () {
      yield* run(`DELETE FROM night_events WHERE run IN (${OLD})`, [time]);
      yield* run(`DELETE FROM night_commands WHERE run IN (${OLD})`, [time]);
      return yield* run("DELETE FROM night_runs WHERE reported_at < $1", [time]);
    }),
});
