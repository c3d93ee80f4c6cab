import { KEEP } from "../store/keep.ts";
import type { LearningPorts } from "./ports.ts";
import { type LearningRow, toLearning } from "../store/learning-row.ts";
import type { LearningStore } from "../store/store.ts";

type Outcome = Parameters<LearningStore["credit"]>[1];

/** Credits the learnings of a receipt; a second, different outcome takes the first one back. */
export const credit = (
  { db, index, now }: LearningPorts,
  seqs: readonly number[],
  { receipt, outcome, writer, credit: { helpful, harmful } }: Outcome,
): { credited: string[]; changed: boolean } => {
  const list = JSON.stringify(seqs);
  const known = db.get<{ outcome: string; helpful: number; harmful: number }>(
    "SELECT outcome, helpful, harmful FROM memory_outcomes WHERE receipt = ?",
    [receipt],
  );
  const rows = db.all<{ id: string }>(
    "SELECT id FROM memory_learnings WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq",
    [list],
  );
  const credited = rows.map(({ id }) => id);
  if (known?.outcome === outcome) return { credited, changed: false };
  db.run(
    `UPDATE memory_learnings SET helpful = max(0, helpful + ?), harmful = max(0, harmful + ?)
     WHERE seq IN (SELECT value FROM json_each(?))`,
    [helpful - (known?.helpful ?? 0), harmful - (known?.harmful ?? 0), list],
  );
  for (const seq of seqs) index.refresh(seq);
  db.run("INSERT OR REPLACE INTO memory_outcomes VALUES (?, ?, ?, ?, ?, ?, ?)", [
    receipt,
    outcome,
    helpful,
    harmful,
    list,
    writer,
    now(),
  ]);
  return { credited, changed: true };
};

/** Deletes what has expired, and the records that only recent requests need. */
export const sweep = ({ db, index, now }: LearningPorts): string[] => {
  const at = now();
  const expired = db
    .all<LearningRow>("SELECT * FROM memory_learnings WHERE expires_at <= ?", [at])
    .map(toLearning);
  for (const learning of expired) {
    index.remove(learning);
    db.run("DELETE FROM memory_learnings WHERE seq = ?", [learning.seq]);
    db.run("DELETE FROM memory_journal WHERE learning_seq = ?", [learning.seq]);
  }
  db.run("DELETE FROM memory_journal WHERE at < ?", [at - KEEP.journalMs]);
  db.run("DELETE FROM memory_idempotency WHERE at < ?", [at - KEEP.idempotencyMs]);
  db.run("DELETE FROM memory_outcomes WHERE at < ?", [at - KEEP.outcomesMs]);
  return expired.map(({ id }) => id);
};
