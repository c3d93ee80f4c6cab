import type { StoredRun, NewEvent } from "./fold.ts";
import { countUnpriced, endedBadly, type Card } from "./card.ts";
import type { Ack } from "./store.ts";

/** Statements of both databases, and what they are given. */

export type StoredRunRow = {
  card: string;
  reported_at: number;
  started_at: number;
  ended_at: number | null;
  log_lines: number;
  streams: string;
};

export const FIND_FOR_CHANGE =
  "SELECT card, reported_at, started_at, ended_at, log_lines, streams FROM night_runs WHERE id = $1";

export const toStored = (row: StoredRunRow): StoredRun => ({
  card: JSON.parse(row.card) as Card,
  reportedAt: row.reported_at,
  startedAt: row.started_at,
  endedAt: row.ended_at ?? undefined,
  logLines: row.log_lines,
  streams: JSON.parse(row.streams) as StoredRun["streams"],
});

/**
 * `is_latest`: 0 for a run that a newer one of its worker has taken the place of, 2 for one that ended badly. What
 * somebody has seen needs nobody until it goes on.
 */
export const PUT_RUN = `
INSERT INTO night_runs (id, host, worker, project, status, is_latest, is_seen, cost, commits, started_at, ended_at, reported_at, log_lines, streams, card, unpriced, queue_task)
VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
ON CONFLICT (id) DO UPDATE SET project = excluded.project, status = excluded.status,
  is_latest = CASE WHEN night_runs.is_latest = 0 THEN 0 ELSE excluded.is_latest END,
  is_seen = CASE WHEN excluded.ended_at IS NULL THEN 0 ELSE night_runs.is_seen END,
  cost = excluded.cost, commits = excluded.commits, ended_at = excluded.ended_at, reported_at = excluded.reported_at,
  log_lines = excluded.log_lines, streams = excluded.streams, card = excluded.card,
  unpriced = excluded.unpriced, queue_task = excluded.queue_task`;

export const runValues = ({ card, startedAt, endedAt, reportedAt, logLines, streams }: StoredRun) => [
  card.id,
  card.host,
  card.worker,
  card.project,
  card.report.status,
  endedBadly(card) ? 2 : 1,
  card.report.costUsd,
  card.commits,
  startedAt,
  endedAt ?? null,
  reportedAt,
  logLines,
  JSON.stringify(streams),
  JSON.stringify(card),
  countUnpriced(card),
  card.report.queueTask ?? null,
];

/** A run that is new is its worker's latest, unless it began before another. */
export const SUPERSEDE = `
UPDATE night_runs SET is_latest = 0 WHERE host = $1 AND worker = $2 AND is_latest > 0 AND id <> (
  SELECT id FROM night_runs WHERE host = $1 AND worker = $2 ORDER BY started_at DESC, id DESC LIMIT 1)`;

export const ADD_EVENT =
  "INSERT INTO night_events (run, at, kind, session, lines, body, text) VALUES ($1, $2, $3, $4, $5, $6, $7)";

export const eventValues = (run: string, { at, kind, session, lines, body, text }: NewEvent) => [
  run,
  at,
  kind,
  session,
  lines,
  JSON.stringify(body),
  text ?? null,
];

export const LOG_SIZES =
  "SELECT number, lines FROM night_events WHERE run = $1 AND kind = 'log' ORDER BY number DESC";
export const TRIM_LOG = "DELETE FROM night_events WHERE run = $1 AND kind = 'log' AND number < $2";

/** From which event on the log is kept, and how many lines that are. */
export const keepFrom = (
  sizes: readonly { number: number; lines: number }[],
  most: number,
): { number: number; lines: number } => {
  let kept = { number: 0, lines: 0 };
  for (const { number, lines } of sizes) {
    if (kept.lines >= most) return kept;
    kept = { number, lines: kept.lines + lines };
  }
  return kept;
};

/** What is over stays as it was said first. */
export const ACKNOWLEDGE = `
UPDATE night_commands SET state = $1, detail = $2, received_at = COALESCE(received_at, $3), ended_at = $4
WHERE id = $5 AND host = $6 AND state IN ('sent', 'received')`;

export const ackValues = ({ id, state, detail }: Ack, host: string, now: number) => [
  state,
  detail ?? null,
  now,
  state === "received" ? null : now,
  id,
  host,
];

export const RUN_OF_COMMAND = "SELECT run FROM night_commands WHERE id = $1 AND host = $2";
export const SET_SEEN = "UPDATE night_runs SET is_seen = 1 WHERE id = $1";
export const FORGET = [
  "DELETE FROM night_events WHERE run IN (SELECT id FROM night_runs WHERE reported_at < $1)",
  "DELETE FROM night_commands WHERE run IN (SELECT id FROM night_runs WHERE reported_at < $1)",
  "DELETE FROM night_runs WHERE reported_at < $1",
] as const;

export const SET_LOG_LINES = "UPDATE night_runs SET log_lines = $1 WHERE id = $2";
export const IS_LATEST = "SELECT is_latest FROM night_runs WHERE id = $1";
