import type { Postgres, Transaction } from "../../../db/postgres/postgres.ts";
import type { Learning, Link, Visibility } from "../store/learning.ts";
import { createLearningReads } from "../store/learning-reads.ts";
import { type LearningRow, toLearning } from "../store/learning-row.ts";
import { filtered, visible } from "../store/where.ts";
import { add } from "./add.ts";
import { createPostgresSearch } from "./index.ts";
import { record, undo } from "./journal.ts";
import { COLUMNS } from "./rows.ts";
import type { CountChanges } from "./terms.ts";
import { credit, sweep } from "./upkeep.ts";
import { createLearningWrites } from "./writes.ts";
import type { LearningChanges, LearningSearch, LearningStore, ListFilter } from "../store/store.ts";

/** Learnings in a PostgreSQL that servers share: rows, their index and the journal, changed together. */
export const createPostgresLearnings = (db: Postgres, now: () => number): LearningStore & LearningSearch => {
  const { write } = createLearningWrites(db);
  return {
    ...createPostgresSearch(db, now),
    ...createLearningReads(db, now),
    add: (entry, options) => write((tx, counts) => add(tx, counts, { entry, options, at: now() })),
    remove: (filter, by) => write((tx, counts) => remove(tx, counts, { filter, by, at: now() })),
    change: (id, visibility, by) => write((tx) => change(tx, { id, visibility, by, at: now() })),
    undo: (writer, since) => write((tx, counts) => undo(tx, counts, { writer, since })),
    credit: (seqs, outcome) => write((tx) => credit(tx, seqs, { ...outcome, at: now() })),
    linksOf: (seqs) =>
      db.all<Link>(
        `SELECT from_seq AS "from", to_seq AS "to", kind FROM memory_links
         WHERE from_seq = ANY($1::bigint[]) OR to_seq = ANY($1::bigint[])
         ORDER BY from_seq, to_seq, kind COLLATE "C"`,
        [seqs],
      ),
    sweep: () => write((tx, counts) => sweep(tx, counts, now())),
  };
};

const remove = async (
  tx: Transaction,
  counts: CountChanges,
  {
    filter,
    by,
    at,
  }: { filter: ListFilter & { id?: string }; by: { writer: string; purge: boolean }; at: number },
): Promise<string[]> => {
  const where = filtered(filter, { now: at });
  const rows = await tx.all<LearningRow>(
    `DELETE FROM memory_learnings WHERE ${where.sql} RETURNING ${COLUMNS}`,
    where.values,
  );
  const learnings = rows.map(toLearning).sort((a, b) => a.seq - b.seq);
  for (const learning of learnings) counts.remove(learning);
  if (by.purge)
    await tx.run("DELETE FROM memory_journal WHERE learning_seq = ANY($1::bigint[])", [
      learnings.map(({ seq }) => seq),
    ]);
  else
    await record(
      tx,
      { writer: by.writer, at },
      learnings.map((before) => ({ seq: before.seq, before })),
    );
  return learnings.map(({ id }) => id);
};

const change = async (
  tx: Transaction,
  {
    id,
    visibility,
    by,
    at,
  }: {
    id: string;
    visibility: Visibility;
    by: { writer: string; apply: (learning: Learning) => Partial<LearningChanges> };
    at: number;
  },
): Promise<Learning | undefined> => {
  const where = visible(visibility, { now: at, first: 2 });
  const row = await tx.get<LearningRow>(
    `SELECT ${COLUMNS} FROM memory_learnings WHERE id = $1 AND ${where.sql}`,
    [id, ...where.values],
  );
  if (!row) return undefined;
  const learning = toLearning(row);
  const next = { ...learning, ...by.apply(learning) };
  await record(tx, { writer: by.writer, at }, [{ seq: learning.seq, before: learning }]);
  const changed = await tx.get<LearningRow>(
    `UPDATE memory_learnings SET confidence = $1, verified_at = $2, updated_at = $3,
     revision = nextval('memory_revisions') WHERE seq = $4 RETURNING ${COLUMNS}`,
    [next.confidence, next.verifiedAt, next.updatedAt, learning.seq],
  );
  return changed && toLearning(changed);
};
