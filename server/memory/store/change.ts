import { credit, record } from "./journal.ts";
import type { Learning, Visibility } from "./learning.ts";
import { LEARNING_COLUMNS, type LearningRow, toLearning, updateLearning } from "./learning-row.ts";
import { all, get, run, type Steps } from "../../../db/steps.ts";
import type { Change, LearningStore } from "./store.ts";
import { filtered, visible } from "./where.ts";

const DAY_MS = 86_400_000;
/** How long what undo, repeated requests and changed outcomes need is kept. */
const KEEP = { journalMs: 30 * DAY_MS, idempotencyMs: 7 * DAY_MS, outcomesMs: 90 * DAY_MS };

type Given<Method extends keyof LearningStore> = Parameters<LearningStore[Method]>;

export function* removeLearnings(
  { index, at }: Change,
  [filter, { writer, purge }]: Given<"remove">,
): Steps<string[]> {
  const where = filtered(filter, { now: at });
  const rows = yield* all<LearningRow>(
    `SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE ${where.sql} ORDER BY seq`,
    where.values,
  );
  for (const learning of rows.map(toLearning)) {
    if (purge) yield* run("DELETE FROM memory_journal WHERE learning_seq = $1", [learning.seq]);
    else yield* record({ writer, at }, learning.seq, learning);
    index.remove(learning);
    yield* run("DELETE FROM memory_learnings WHERE seq = $1", [learning.seq]);
  }
  return rows.map(({ id }) => id);
}

export function* changeLearning(
  { at }: Change,
  [id, visibility, { writer, apply }]: [id: string, visibility: Visibility, by: Given<"change">[2]],
): Steps<Learning | undefined> {
  const where = visible(visibility, { now: at, first: 2 });
  const row = yield* get<LearningRow>(
    `SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE id = $1 AND ${where.sql}`,
    [id, ...where.values],
  );
  if (!row) return undefined;
  const learning = toLearning(row);
  const changed = { ...learning, ...apply(learning) };
  yield* record({ writer, at }, learning.seq, learning);
  yield* updateLearning(changed);
  return changed;
}

/** Credits the learnings of a receipt; a second, different outcome takes the first one back. */
export function* creditLearnings(
  { at }: Change,
  [
    seqs,
    {
      receipt,
      outcome,
      writer,
      credit: { helpful, harmful },
    },
  ]: Given<"credit">,
): Steps<{ credited: string[]; changed: boolean }> {
  const known = yield* get<{ outcome: string; helpful: number; harmful: number }>(
    "SELECT outcome, helpful, harmful FROM memory_outcomes WHERE receipt = $1",
    [receipt],
  );
  const changed = known?.outcome !== outcome;
  const by = changed
    ? { helpful: helpful - (known?.helpful ?? 0), harmful: harmful - (known?.harmful ?? 0) }
    : { helpful: 0, harmful: 0 };
  const credited: string[] = [];
  for (const seq of [...seqs].sort((a, b) => a - b)) {
    const id = yield* credit(seq, by);
    if (id !== undefined) credited.push(id);
  }
  if (changed)
    yield* run(
      `INSERT INTO memory_outcomes (receipt, outcome, helpful, harmful, learnings, writer, at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (receipt) DO UPDATE SET outcome = excluded.outcome,
       helpful = excluded.helpful, harmful = excluded.harmful, learnings = excluded.learnings,
       writer = excluded.writer, at = excluded.at`,
      [receipt, outcome, helpful, harmful, JSON.stringify(seqs), writer, at],
    );
  return { credited, changed };
}

/** Deletes what has expired, and the records that only recent requests need. */
export function* sweep({ index, at }: Change): Steps<string[]> {
  const expired = yield* all<LearningRow>(
    `SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE expires_at <= $1`,
    [at],
  );
  for (const learning of expired.map(toLearning)) {
    index.remove(learning);
    yield* run("DELETE FROM memory_learnings WHERE seq = $1", [learning.seq]);
    yield* run("DELETE FROM memory_journal WHERE learning_seq = $1", [learning.seq]);
  }
  yield* run("DELETE FROM memory_journal WHERE at < $1", [at - KEEP.journalMs]);
  yield* run("DELETE FROM memory_idempotency WHERE at < $1", [at - KEEP.idempotencyMs]);
  yield* run("DELETE FROM memory_outcomes WHERE at < $1", [at - KEEP.outcomesMs]);
  return expired.map(({ id }) => id);
}
