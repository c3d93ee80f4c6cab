import { randomUUID } from "node:crypto";
import { AppError } from "../../../core/errors.ts";
import type { Database } from "../../../db/database.ts";
import { mergeKeyOf } from "../store/clean-text.ts";
import type { Learning, NewLearning } from "../store/learning.ts";
import { type LearningRow, textColumns, toLearning } from "../store/learning-row.ts";
import type { LearningPorts } from "./ports.ts";
import type { Added, AddOptions } from "../store/store.ts";

export const add = (ports: LearningPorts, entry: NewLearning, options: AddOptions): Added => {
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
      [id, ...textColumns(entry), mergeKey, now, now, now, entry.expiresAt ?? null],
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
     updated_at = max(updated_at, ?), verified_at = max(verified_at, ?), expires_at = CASE WHEN expires_at IS NULL THEN NULL ELSE max(expires_at, ?) END
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

export const rowById = (db: Database, id: string): Learning => {
  const row = db.get<LearningRow>("SELECT * FROM memory_learnings WHERE id = ?", [id]);
  if (!row) throw new Error(`learning ${id} vanished inside its own transaction`);
  return toLearning(row);
};
