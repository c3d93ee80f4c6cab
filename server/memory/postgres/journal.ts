import type { Transaction } from "../../../db/postgres/postgres.ts";
import type { Learning } from "../store/learning.ts";
import { allColumns, type LearningRow, toLearning } from "../store/learning-row.ts";
import { COLUMNS } from "./rows.ts";
import { type CountChanges, indexText } from "./terms.ts";

type Entry = { learning_seq: number; before: string | null };
type Undone = { removed: string[]; restored: string[] };

/** What a writer did to learnings, with each as it was before (undefined: it is new). */
export const record = async (
  tx: Transaction,
  { writer, at }: { writer: string; at: number },
  changed: readonly { seq: number; before: Learning | undefined }[],
): Promise<void> => {
  if (changed.length === 0) return;
  await tx.run(
    `INSERT INTO memory_journal (at, writer, learning_seq, before)
     SELECT $1, $2, seq, nullif(before, '') FROM unnest($3::bigint[], $4::text[]) AS changed (seq, before)`,
    [
      at,
      writer,
      changed.map(({ seq }) => seq),
      changed.map(({ before }) => (before === undefined ? "" : JSON.stringify(before))),
    ],
  );
};

export const hasWritten = async (tx: Transaction, writer: string, seq: number): Promise<boolean> =>
  (await tx.get("SELECT 1 FROM memory_journal WHERE learning_seq = $1 AND writer = $2 LIMIT 1", [
    seq,
    writer,
  ])) !== undefined;

/** Plays back what a writer did since a time, outcomes too. */
export const undo = async (
  tx: Transaction,
  counts: CountChanges,
  { writer, since }: { writer: string; since: number },
): Promise<Undone> => {
  // The oldest entry of each learning says how it was before this writer touched it.
  const entries = await tx.all<Entry>(
    `SELECT DISTINCT ON (learning_seq) learning_seq, before FROM memory_journal
     WHERE writer = $1 AND at >= $2 ORDER BY learning_seq, seq`,
    [writer, since],
  );
  const undone: Undone = { removed: [], restored: [] };
  for (const entry of entries) {
    const before = entry.before === null ? undefined : (JSON.parse(entry.before) as Learning);
    const id = await putBack(tx, counts, { seq: entry.learning_seq, before });
    if (id !== undefined) (before ? undone.restored : undone.removed).push(id);
  }
  await tx.run("DELETE FROM memory_journal WHERE writer = $1 AND at >= $2", [writer, since]);
  await takeBackOutcomes(tx, { writer, since });
  return undone;
};

const putBack = async (
  tx: Transaction,
  counts: CountChanges,
  { seq, before }: { seq: number; before: Learning | undefined },
): Promise<string | undefined> => {
  const row = await tx.get<LearningRow>(`SELECT ${COLUMNS} FROM memory_learnings WHERE seq = $1`, [seq]);
  if (row) counts.remove(toLearning(row));
  if (!before) {
    if (row) await tx.run("DELETE FROM memory_learnings WHERE seq = $1", [seq]);
    return row?.id;
  }
  const analyzed = counts.add(before);
  // An update and not a replacement of the row, which would take its links with it.
  await tx.run(
    `INSERT INTO memory_learnings (seq, id, type, trigger, learning, alternative, reason, source, confidence, scope,
     project, marker, writer, merge_key, writers, helpful, harmful, created_at, updated_at, verified_at, expires_at, terms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
     array_to_tsvector(string_to_array($22, ' ')))
     ON CONFLICT (seq) DO UPDATE SET type = excluded.type, alternative = excluded.alternative, reason = excluded.reason,
     confidence = excluded.confidence, writers = excluded.writers, updated_at = excluded.updated_at,
     verified_at = excluded.verified_at, expires_at = excluded.expires_at, terms = excluded.terms,
     revision = nextval('memory_revisions')`,
    [...allColumns(before), indexText(analyzed)],
  );
  return before.id;
};

const takeBackOutcomes = async (
  tx: Transaction,
  { writer, since }: { writer: string; since: number },
): Promise<void> => {
  const outcomes = await tx.all<{ helpful: number; harmful: number; learnings: string }>(
    `DELETE FROM memory_outcomes WHERE writer = $1 AND at >= $2 RETURNING helpful, harmful, learnings`,
    [writer, since],
  );
  for (const { helpful, harmful, learnings } of outcomes)
    await tx.run(
      `UPDATE memory_learnings SET helpful = greatest(0, helpful - $1), harmful = greatest(0, harmful - $2),
       revision = nextval('memory_revisions') WHERE seq = ANY($3::bigint[])`,
      [helpful, harmful, JSON.parse(learnings) as number[]],
    );
};
