import type { Database } from "../../../db/database.ts";
import type { Learning } from "../store/learning.ts";
import type { LearningIndex } from "./index.ts";
import { allColumns, type LearningRow, toLearning } from "../store/learning-row.ts";

/** What each writer did to which learning, with the learning as it was before: what undo plays back. */
export type Journal = {
  /** inside the transaction that makes the change; `before` undefined for a learning that is new */
  record: (writer: string, seq: number, before: Learning | undefined) => void;
  hasWritten: (writer: string, seq: number) => boolean;
  /** Deletes every trace of a learning. */
  purge: (seq: number) => void;
  undo: (writer: string, since: number) => { removed: string[]; restored: string[] };
};

type Entry = { seq: number; learning_seq: number; before: string | null };

export const createJournal = (db: Database, index: LearningIndex, now: () => number): Journal => ({
  record: (writer, seq, before) => {
    db.run("INSERT INTO memory_journal (at, writer, learning_seq, before) VALUES (?, ?, ?, ?)", [
      now(),
      writer,
      seq,
      before === undefined ? null : JSON.stringify(before),
    ]);
  },
  hasWritten: (writer, seq) =>
    db.get("SELECT 1 FROM memory_journal WHERE learning_seq = ? AND writer = ? LIMIT 1", [seq, writer]) !==
    undefined,
  purge: (seq) => {
    db.run("DELETE FROM memory_journal WHERE learning_seq = ?", [seq]);
  },
  undo: (writer, since) => {
    const entries = db.all<Entry>(
      "SELECT seq, learning_seq, before FROM memory_journal WHERE writer = ? AND at >= ? ORDER BY seq",
      [writer, since],
    );
    // The oldest entry of each learning says how it was before this writer touched it.
    const oldest = new Map<number, Entry>();
    for (const entry of entries) if (!oldest.has(entry.learning_seq)) oldest.set(entry.learning_seq, entry);
    const removed: string[] = [];
    const restored: string[] = [];
    for (const entry of oldest.values()) {
      const before = entry.before === null ? undefined : (JSON.parse(entry.before) as Learning);
      const id = putBack(db, index, { seq: entry.learning_seq, before });
      if (id !== undefined) (before ? restored : removed).push(id);
    }
    db.run("DELETE FROM memory_journal WHERE writer = ? AND at >= ?", [writer, since]);
    takeBackOutcomes(db, index, { writer, since });
    return { removed, restored };
  },
});

const putBack = (
  db: Database,
  index: LearningIndex,
  { seq, before }: { seq: number; before: Learning | undefined },
): string | undefined => {
  const row = db.get<LearningRow>("SELECT * FROM memory_learnings WHERE seq = ?", [seq]);
  if (row) index.remove(toLearning(row));
  if (!before) {
    if (row) db.run("DELETE FROM memory_learnings WHERE seq = ?", [seq]);
    return row?.id;
  }
  // An update and not a replacement of the row, which would take its links with it.
  db.run(
    `INSERT INTO memory_learnings (seq, id, type, trigger, learning, alternative, reason, source, confidence, scope,
     project, marker, writer, merge_key, writers, helpful, harmful, created_at, updated_at, verified_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (seq) DO UPDATE SET type = excluded.type, alternative = excluded.alternative, reason = excluded.reason,
     confidence = excluded.confidence, writers = excluded.writers, updated_at = excluded.updated_at, verified_at = excluded.verified_at,
     expires_at = excluded.expires_at`,
    [...allColumns(before)],
  );
  index.insert(before);
  // The credits of outcomes that came since are in the row and not in the remembered learning.
  index.refresh(seq);
  return before.id;
};

const takeBackOutcomes = (
  db: Database,
  index: LearningIndex,
  { writer, since }: { writer: string; since: number },
): void => {
  const outcomes = db.all<{ receipt: string; helpful: number; harmful: number; learnings: string }>(
    "SELECT receipt, helpful, harmful, learnings FROM memory_outcomes WHERE writer = ? AND at >= ?",
    [writer, since],
  );
  for (const { receipt, helpful, harmful, learnings } of outcomes) {
    db.run(
      `UPDATE memory_learnings SET helpful = max(0, helpful - ?), harmful = max(0, harmful - ?)
       WHERE seq IN (SELECT value FROM json_each(?))`,
      [helpful, harmful, learnings],
    );
    for (const seq of JSON.parse(learnings) as number[]) index.refresh(seq);
    db.run("DELETE FROM memory_outcomes WHERE receipt = ?", [receipt]);
  }
};
