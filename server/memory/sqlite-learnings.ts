import { randomUUID } from "node:crypto";
import type { Database, SqlValue } from "../db/database.ts";
import { AppError } from "../../core/errors.ts";
import { mergeKeyOf } from "./clean-text.ts";
import type { Learning, Link, NewLearning, Visibility } from "./learning.ts";
import { createJournal } from "./sqlite-journal.ts";
import { createLearningIndex } from "./sqlite-index.ts";
import type { LearningPorts } from "./sqlite-ports.ts";
import { type LearningRow, toLearning } from "./learning-row.ts";
import { filtered, visible } from "./sqlite-rows.ts";
import { credit, sweep } from "./sqlite-upkeep.ts";
import type {
  Added,
  AddOptions,
  LearningChanges,
  LearningSearch,
  LearningStore,
  ListFilter,
} from "./store.ts";

/** Learnings in SQLite: rows, their index and the journal that undo reads, changed together. */
export const createSqliteLearnings = (db: Database, now: () => number): LearningStore & LearningSearch => {
  const index = createLearningIndex(db, now);
  index.rebuildIfOutdated();
  const ports: LearningPorts = { db, index, journal: createJournal(db, index, now), now };
  const write = async <T>(work: () => T): Promise<T> => {
    try {
      return await db.write(work);
    } catch (error) {
      // What the index remembered of the failed transaction is not so.
      index.forget();
      throw error;
    }
  };

  return {
    totals: index.totals,
    documentsWith: index.documentsWith,
    similarTerms: index.similarTerms,
    candidates: index.candidates,
    add: (learning, options) => write(() => add(ports, learning, options)),
    find: async (id, visibility) => findRow(ports, id, visibility),
    list: async (filter, page) => list(ports, filter, page),
    each: (filter) => each(ports, filter),
    remove: (filter, by) => write(() => remove(ports, filter, by)),
    change: (id, visibility, by) => write(() => change(ports, { id, visibility }, by)),
    undo: (writer, since) => write(() => ports.journal.undo(writer, since)),
    credit: (seqs, outcome) => write(() => credit(ports, seqs, outcome)),
    linksOf: async (seqs) => linksOf(db, seqs),
    bySeq: index.bySeq,
    countByScope: async (visibility) => {
      const where = visible(visibility, now());
      const rows = db.all<{ scope: string; count: number }>(
        `SELECT scope, count(*) AS count FROM memory_learnings WHERE ${where.sql} GROUP BY scope`,
        where.values,
      );
      return Object.fromEntries(rows.map(({ scope, count }) => [scope, count]));
    },
    summary: async (visibility) => summary(ports, visibility),
    sweep: () => write(() => sweep(ports)),
  };
};

const add = (ports: LearningPorts, entry: NewLearning, options: AddOptions): Added => {
  const { db, index, journal } = ports;
  const replayed = replay(ports, entry, options);
  if (replayed) return { learning: replayed, status: "replayed" };
  const mergeKey = mergeKeyOf({ ...entry, ephemeral: entry.expiresAt !== undefined });
  const twin = db.get<LearningRow>(
    "SELECT * FROM memory_learnings WHERE merge_key = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY seq LIMIT 1",
    [mergeKey, entry.createdAt],
  );
  let learning: Learning;
  if (twin) learning = merge(ports, toLearning(twin), entry);
  else {
    // An import brings its ids along; one that is taken stays with its first owner.
    const id = db.get("SELECT 1 FROM memory_learnings WHERE id = ?", [entry.id]) ? randomUUID() : entry.id;
    const now = entry.createdAt;
    db.run(
      `INSERT INTO memory_learnings (id, type, trigger, learning, alternative, reason, source, confidence, scope,
       project, marker, writer, merge_key, created_at, updated_at, verified_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        id,
        entry.type,
        entry.trigger,
        entry.learning,
        entry.alternative ?? null,
        entry.reason ?? null,
        entry.source ?? null,
        entry.confidence,
        entry.scope,
        entry.project ?? null,
        entry.marker ?? null,
        entry.writer,
        mergeKey,
        now,
        now,
        now,
        entry.expiresAt ?? null,
      ],
    );
    learning = rowById(db, id);
    index.insert(learning);
    journal.record(entry.writer, learning.seq, undefined);
  }
  addLinks(ports, learning, options.links ?? []);
  if (options.idempotencyKey !== undefined)
    db.run("INSERT INTO memory_idempotency VALUES (?, ?, ?, ?, ?)", [
      entry.writer,
      options.idempotencyKey,
      requestOf(entry),
      learning.id,
      entry.createdAt,
    ]);
  return { learning, status: twin ? "merged" : "stored" };
};

const requestOf = (entry: NewLearning): string =>
  mergeKeyOf({ ...entry, ephemeral: entry.expiresAt !== undefined });

const replay = ({ db }: LearningPorts, entry: NewLearning, options: AddOptions): Learning | undefined => {
  if (options.idempotencyKey === undefined) return undefined;
  const before = db.get<{ request: string; learning_id: string }>(
    "SELECT request, learning_id FROM memory_idempotency WHERE writer = ? AND key = ?",
    [entry.writer, options.idempotencyKey],
  );
  if (!before) return undefined;
  if (before.request !== requestOf(entry))
    throw new AppError(
      "conflict",
      `Idempotency key "${options.idempotencyKey}" was used for another learning; use a new key`,
    );
  const row = db.get<LearningRow>("SELECT * FROM memory_learnings WHERE id = ?", [before.learning_id]);
  // Deleted meanwhile: a repeated request must not bring it back.
  return row
    ? toLearning(row)
    : { ...entry, id: before.learning_id, seq: 0, ...NEVER_SEEN, ...timesOf(entry) };
};

const NEVER_SEEN = { writers: 1, helpful: 0, harmful: 0 };
const timesOf = ({ createdAt }: NewLearning) => ({ updatedAt: createdAt, verifiedAt: createdAt });

const merge = ({ db, index, journal }: LearningPorts, twin: Learning, entry: NewLearning): Learning => {
  const known = journal.hasWritten(entry.writer, twin.seq) || twin.writer === entry.writer;
  journal.record(entry.writer, twin.seq, twin);
  const grown = {
    ...twin,
    alternative: twin.alternative ?? entry.alternative,
    reason: twin.reason ?? entry.reason,
  };
  index.remove(twin);
  db.run(
    `UPDATE memory_learnings SET confidence = max(confidence, ?), alternative = ?, reason = ?, writers = writers + ?,
     updated_at = ?, verified_at = ?, expires_at = CASE WHEN expires_at IS NULL THEN NULL ELSE max(expires_at, ?) END
     WHERE seq = ?`,
    [
      entry.confidence,
      grown.alternative ?? null,
      grown.reason ?? null,
      known ? 0 : 1,
      entry.createdAt,
      entry.createdAt,
      entry.expiresAt ?? 0,
      twin.seq,
    ],
  );
  const merged = rowById(db, twin.id);
  index.insert(merged);
  return merged;
};

const addLinks = (
  { db }: LearningPorts,
  learning: Learning,
  links: NonNullable<AddOptions["links"]>,
): void => {
  for (const { to, kind } of links) {
    const target = db.get<{ seq: number }>("SELECT seq FROM memory_learnings WHERE id = ?", [to]);
    if (!target) throw new AppError("not-found", `There is no learning ${to} that this one ${kind}`);
    if (target.seq !== learning.seq)
      db.run("INSERT OR IGNORE INTO memory_links VALUES (?, ?, ?)", [learning.seq, target.seq, kind]);
  }
};

const rowById = (db: Database, id: string): Learning => {
  const row = db.get<LearningRow>("SELECT * FROM memory_learnings WHERE id = ?", [id]);
  if (!row) throw new Error(`learning ${id} vanished inside its own transaction`);
  return toLearning(row);
};

const findRow = ({ db, now }: LearningPorts, id: string, visibility: Visibility): Learning | undefined => {
  const where = visible(visibility, now());
  const row = db.get<LearningRow>(`SELECT * FROM memory_learnings WHERE id = ? AND ${where.sql}`, [
    id,
    ...where.values,
  ]);
  return row && toLearning(row);
};

const list = ({ db, now }: LearningPorts, filter: ListFilter, page: { limit: number; offset: number }) => {
  const where = filtered(filter, now());
  const rows = db.all<LearningRow>(
    `SELECT * FROM memory_learnings WHERE ${where.sql} ORDER BY seq DESC LIMIT ? OFFSET ?`,
    [...where.values, page.limit, page.offset],
  );
  const total = db.get<{ total: number }>(
    `SELECT count(*) AS total FROM memory_learnings WHERE ${where.sql}`,
    where.values,
  );
  return { learnings: rows.map(toLearning), total: total?.total ?? 0 };
};

const BATCH = 500;

async function* each({ db, now }: LearningPorts, filter: ListFilter): AsyncGenerator<Learning> {
  let after = 0;
  for (;;) {
    const where = filtered(filter, now());
    const rows = db.all<LearningRow>(
      `SELECT * FROM memory_learnings WHERE seq > ? AND ${where.sql} ORDER BY seq LIMIT ${BATCH}`,
      [after, ...where.values],
    );
    for (const row of rows) yield toLearning(row);
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < BATCH) return;
  }
}

const remove = (
  { db, index, journal, now }: LearningPorts,
  filter: ListFilter & { id?: string },
  by: { writer: string; purge: boolean },
): string[] => {
  const where = filtered(filter, now());
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
  const where = visible(visibility, now());
  const row = db.get<LearningRow>(`SELECT * FROM memory_learnings WHERE id = ? AND ${where.sql}`, [
    id,
    ...where.values,
  ]);
  if (!row) return undefined;
  const learning = toLearning(row);
  const changes = by.apply(learning);
  journal.record(by.writer, learning.seq, learning);
  const next = { ...learning, ...changes };
  db.run(
    "UPDATE memory_learnings SET type = ?, confidence = ?, verified_at = ?, updated_at = ?, writers = ? WHERE seq = ?",
    [
      next.type,
      next.confidence,
      next.verifiedAt,
      next.updatedAt,
      next.writers,
      learning.seq,
    ] satisfies SqlValue[],
  );
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

const summary = ({ db, now }: LearningPorts, visibility: Visibility) => {
  const where = visible(visibility, now());
  const rows = db.all<{ type: string; count: number; confidence: number }>(
    `SELECT type, count(*) AS count, sum(confidence) AS confidence FROM memory_learnings WHERE ${where.sql} GROUP BY type`,
    where.values,
  );
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const confidence = rows.reduce((sum, row) => sum + row.confidence, 0);
  return {
    total,
    averageConfidence: total === 0 ? 0 : confidence / total,
    byType: Object.fromEntries(rows.map(({ type, count }) => [type, count])),
  };
};
