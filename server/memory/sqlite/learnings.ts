import type { Database } from "../../../db/database.ts";
import { statementsOn } from "../../../db/statements.ts";
import type { Learning, Link, Visibility } from "../store/learning.ts";
import { add, rowById } from "./add.ts";
import { createJournal } from "./journal.ts";
import { createLearningIndex } from "./index.ts";
import type { LearningPorts } from "./ports.ts";
import { createLearningReads } from "../store/learning-reads.ts";
import { type LearningRow, toLearning } from "../store/learning-row.ts";
import { filtered, visible } from "../store/where.ts";
import { credit, sweep } from "./upkeep.ts";
import type { LearningChanges, LearningSearch, LearningStore, ListFilter } from "../store/store.ts";

/** Learnings in SQLite: rows, their index and the journal that undo reads, changed together. */
export const createSqliteLearnings = (db: Database, now: () => number): LearningStore & LearningSearch => {
  const index = createLearningIndex(db, now);
  index.rebuildIfOutdated();
  const ports: LearningPorts = { db, index, journal: createJournal(db, index, now), now };
  // What the index remembered of a change or a transaction that failed is not so: neither what is queued
  // behind it in the same transaction nor the next one may count on it.
  const forgetting = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      index.forget();
      throw error;
    }
  };
  const write = async <T>(work: () => T): Promise<T> => {
    try {
      return await db.write(() => forgetting(work));
    } catch (error) {
      index.forget();
      throw error;
    }
  };

  return {
    ...createLearningReads(statementsOn(db), now),
    totals: index.totals,
    documentsWith: index.documentsWith,
    similarTerms: index.similarTerms,
    candidates: index.candidates,
    add: (learning, options) => write(() => add(ports, learning, options)),
    remove: (filter, by) => write(() => remove(ports, filter, by)),
    change: (id, visibility, by) => write(() => change(ports, { id, visibility }, by)),
    undo: (writer, since) => write(() => ports.journal.undo(writer, since)),
    credit: (seqs, outcome) => write(() => credit(ports, seqs, outcome)),
    linksOf: async (seqs) => linksOf(db, seqs),
    bySeq: index.bySeq,
    sweep: () => write(() => sweep(ports)),
  };
};

const remove = (
  { db, index, journal, now }: LearningPorts,
  filter: ListFilter & { id?: string },
  by: { writer: string; purge: boolean },
): string[] => {
  const where = filtered(filter, { now: now() });
  const rows = db.all<LearningRow>(`SELECT * FROM memory_learnings WHERE ${where.sql}`, where.values);
  for (const learning of rows.map(toLearning)) {
    if (by.purge) journal.purge(learning.seq);
    else journal.record(by.writer, learning.seq, learning);
    index.remove(learning);
    db.run("DELETE FROM memory_learnings WHERE seq = ?", [learning.seq]);
  }
  return rows.map(({ id }) => id);
};

const change = (
  { db, index, journal, now }: LearningPorts,
  { id, visibility }: { id: string; visibility: Visibility },
  by: { writer: string; apply: (learning: Learning) => Partial<LearningChanges> },
): Learning | undefined => {
  const where = visible(visibility, { now: now(), first: 2 });
  const row = db.get<LearningRow>(`SELECT * FROM memory_learnings WHERE id = $1 AND ${where.sql}`, [
    id,
    ...where.values,
  ]);
  if (!row) return undefined;
  const learning = toLearning(row);
  const next = { ...learning, ...by.apply(learning) };
  journal.record(by.writer, learning.seq, learning);
  db.run("UPDATE memory_learnings SET confidence = ?, verified_at = ?, updated_at = ? WHERE seq = ?", [
    next.confidence,
    next.verifiedAt,
    next.updatedAt,
    learning.seq,
  ]);
  index.refresh(learning.seq);
  return rowById(db, id);
};

const linksOf = (db: Database, seqs: readonly number[]): Link[] => {
  const list = JSON.stringify(seqs);
  return db.all<Link>(
    `SELECT from_seq AS "from", to_seq AS "to", kind FROM memory_links
     WHERE from_seq IN (SELECT value FROM json_each(?)) OR to_seq IN (SELECT value FROM json_each(?))`,
    [list, list],
  );
};
