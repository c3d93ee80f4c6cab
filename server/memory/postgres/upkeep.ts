import type { Transaction } from "../../../db/postgres/postgres.ts";
import { type LearningRow, toLearning } from "../store/learning-row.ts";
import { COLUMNS } from "./rows.ts";
import type { CountChanges } from "./terms.ts";
import { KEEP } from "../store/keep.ts";
import type { LearningStore } from "../store/store.ts";

type Outcome = Parameters<LearningStore["credit"]>[1];

/** Credits the learnings of a receipt; a second, different outcome takes the first one back. */
export const credit = async (
  tx: Transaction,
  seqs: readonly number[],
  { receipt, outcome, writer, credit: { helpful, harmful }, at }: Outcome & { at: number },
): Promise<{ credited: string[]; changed: boolean }> => {
  const [known, rows] = await Promise.all([
    tx.get<{ outcome: string; helpful: number; harmful: number }>(
      "SELECT outcome, helpful, harmful FROM memory_outcomes WHERE receipt = $1",
      [receipt],
    ),
    tx.all<{ id: string }>("SELECT id FROM memory_learnings WHERE seq = ANY($1::bigint[]) ORDER BY seq", [
      seqs,
    ]),
  ]);
  const credited = rows.map(({ id }) => id);
  if (known?.outcome === outcome) return { credited, changed: false };
  await Promise.all([
    tx.run(
      `UPDATE memory_learnings SET helpful = greatest(0, helpful + $1), harmful = greatest(0, harmful + $2),
       revision = nextval('memory_revisions') WHERE seq = ANY($3::bigint[])`,
      [helpful - (known?.helpful ?? 0), harmful - (known?.harmful ?? 0), seqs],
    ),
    tx.run(
      `INSERT INTO memory_outcomes (receipt, outcome, helpful, harmful, learnings, writer, at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (receipt) DO UPDATE SET outcome = excluded.outcome,
       helpful = excluded.helpful, harmful = excluded.harmful, learnings = excluded.learnings,
       writer = excluded.writer, at = excluded.at`,
      [receipt, outcome, helpful, harmful, JSON.stringify(seqs), writer, at],
    ),
  ]);
  return { credited, changed: true };
};

/** Deletes what has expired, and the records that only recent requests need. */
export const sweep = async (tx: Transaction, counts: CountChanges, at: number): Promise<string[]> => {
  const rows = await tx.all<LearningRow>(
    `DELETE FROM memory_learnings WHERE expires_at <= $1 RETURNING ${COLUMNS}`,
    [at],
  );
  for (const row of rows) counts.remove(toLearning(row));
  await tx.run("DELETE FROM memory_journal WHERE learning_seq = ANY($1::bigint[])", [
    rows.map(({ seq }) => seq),
  ]);
  await tx.run("DELETE FROM memory_journal WHERE at < $1", [at - KEEP.journalMs]);
  await tx.run("DELETE FROM memory_idempotency WHERE at < $1", [at - KEEP.idempotencyMs]);
  await tx.run("DELETE FROM memory_outcomes WHERE at < $1", [at - KEEP.outcomesMs]);
  await tx.run("DELETE FROM memory_terms WHERE documents <= 0");
  return rows.map(({ id }) => id);
};
