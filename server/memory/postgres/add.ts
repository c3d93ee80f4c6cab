import { randomUUID } from "node:crypto";
import { withoutUndefined } from "../../../core/without-undefined.ts";
import { AppError } from "../../../core/errors.ts";
import type { Transaction } from "../../../db/postgres/postgres.ts";
import { analyzeLearning } from "../analysis/analyze.ts";
import { mergeKeyOf } from "../store/clean-text.ts";
import type { Learning, NewLearning } from "../store/learning.ts";
import { type LearningRow, textColumns, toLearning } from "../store/learning-row.ts";
import { hasWritten, record } from "./journal.ts";
import { COLUMNS } from "./rows.ts";
import { type CountChanges, indexText } from "./terms.ts";
import type { Added, AddOptions } from "../store/store.ts";

export const add = async (
  tx: Transaction,
  counts: CountChanges,
  { entry, options, at }: { entry: NewLearning; options: AddOptions; at: number },
): Promise<Added> => {
  const mergeKey = mergeKeyOf({ ...entry, ephemeral: entry.expiresAt !== undefined });
  const [replayed, [twin], taken] = await Promise.all([
    replay(tx, { entry, options, mergeKey }),
    findTwins(tx, mergeKey, entry.createdAt),
    tx.get("SELECT 1 FROM memory_learnings WHERE id = $1", [entry.id]),
  ]);
  if (replayed) return { learning: replayed, status: "replayed" };
  const learning = twin
    ? await merge(tx, counts, { twin: toLearning(twin), entry, at })
    : // An import brings its ids along; one that is taken stays with its first owner.
      await insert(tx, counts, { entry: taken ? { ...entry, id: randomUUID() } : entry, mergeKey, at });
  await addLinks(tx, learning, options.links ?? []);
  if (options.idempotencyKey !== undefined)
    await tx.run(
      "INSERT INTO memory_idempotency (writer, key, request, learning_id, at) VALUES ($1, $2, $3, $4, $5)",
      [entry.writer, options.idempotencyKey, mergeKey, learning.id, entry.createdAt],
    );
  return { learning, status: twin ? "merged" : "stored" };
};

/**
 * What says the same, the oldest first. Sorted here: asked for the first by number, PostgreSQL may look
 * through all learnings in that order, for one that is not there.
 */
const findTwins = async (tx: Transaction, mergeKey: string, now: number): Promise<LearningRow[]> => {
  const rows = await tx.all<LearningRow>(
    `SELECT ${COLUMNS} FROM memory_learnings WHERE merge_key = $1 AND (expires_at IS NULL OR expires_at > $2)`,
    [mergeKey, now],
  );
  return rows.sort((a, b) => a.seq - b.seq);
};

const replay = async (
  tx: Transaction,
  { entry, options, mergeKey }: { entry: NewLearning; options: AddOptions; mergeKey: string },
): Promise<Learning | undefined> => {
  if (options.idempotencyKey === undefined) return undefined;
  const before = await tx.get<{ request: string; learning_id: string }>(
    "SELECT request, learning_id FROM memory_idempotency WHERE writer = $1 AND key = $2",
    [entry.writer, options.idempotencyKey],
  );
  if (!before) return undefined;
  if (before.request !== mergeKey)
    throw new AppError(
      "conflict",
      `Idempotency key "${options.idempotencyKey}" was used for another learning; use a new key`,
    );
  const row = await tx.get<LearningRow>(`SELECT ${COLUMNS} FROM memory_learnings WHERE id = $1`, [
    before.learning_id,
  ]);
  if (row) return toLearning(row);
  // Deleted meanwhile: a repeated request must not bring it back.
  const { createdAt } = entry;
  const neverSeen = { writers: 1, helpful: 0, harmful: 0, updatedAt: createdAt, verifiedAt: createdAt };
  return { ...entry, id: before.learning_id, seq: 0, ...neverSeen };
};

const insert = async (
  tx: Transaction,
  counts: CountChanges,
  { entry, mergeKey, at }: { entry: NewLearning; mergeKey: string; at: number },
): Promise<Learning> => {
  const now = entry.createdAt;
  const terms = indexText(analyzeLearning(entry));
  const row = await tx.get<LearningRow>(
    `WITH stored AS (
       INSERT INTO memory_learnings (id, type, trigger, learning, alternative, reason, source, confidence, scope,
       project, marker, writer, merge_key, created_at, updated_at, verified_at, expires_at, terms)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $14, $15,
       array_to_tsvector(string_to_array($16, ' '))) RETURNING ${COLUMNS}
     ), recorded AS (
       INSERT INTO memory_journal (at, writer, learning_seq, before) SELECT $17, writer, seq, NULL FROM stored
     ) SELECT * FROM stored`,
    [entry.id, ...textColumns(entry), mergeKey, now, entry.expiresAt ?? null, terms, at],
  );
  if (!row) throw new Error(`learning ${entry.id} vanished inside its own transaction`);
  const learning = toLearning(row);
  counts.add(learning);
  return learning;
};

const merge = async (
  tx: Transaction,
  counts: CountChanges,
  { twin, entry, at }: { twin: Learning; entry: NewLearning; at: number },
): Promise<Learning> => {
  const isKnown = twin.writer === entry.writer || (await hasWritten(tx, entry.writer, twin.seq));
  await record(tx, { writer: entry.writer, at }, [{ seq: twin.seq, before: twin }]);
  const alternative = twin.alternative ?? entry.alternative;
  const reason = twin.reason ?? entry.reason;
  counts.remove(twin);
  const analyzed = counts.add({
    ...twin,
    ...withoutUndefined({ alternative, reason }),
  });
  const row = await tx.get<LearningRow>(
    `UPDATE memory_learnings SET confidence = greatest(confidence, $1), alternative = $2, reason = $3,
     writers = writers + $4, updated_at = greatest(updated_at, $5), verified_at = greatest(verified_at, $5),
     expires_at = CASE WHEN expires_at IS NULL THEN NULL ELSE greatest(expires_at, $6) END,
     terms = array_to_tsvector(string_to_array($7, ' ')), revision = nextval('memory_revisions')
     WHERE seq = $8 RETURNING ${COLUMNS}`,
    [
      entry.confidence,
      alternative ?? null,
      reason ?? null,
      isKnown ? 0 : 1,
      entry.createdAt,
      entry.expiresAt ?? 0,
      indexText(analyzed),
      twin.seq,
    ],
  );
  if (!row) throw new Error(`learning ${twin.id} vanished inside its own transaction`);
  return toLearning(row);
};

const addLinks = async (
  tx: Transaction,
  learning: Learning,
  links: NonNullable<AddOptions["links"]>,
): Promise<void> => {
  for (const { to, kind } of links) {
    const target = await tx.get<{ seq: number }>("SELECT seq FROM memory_learnings WHERE id = $1", [to]);
    if (!target) throw new AppError("not-found", `There is no learning ${to} that this one ${kind}`);
    if (target.seq !== learning.seq)
      await tx.run(
        "INSERT INTO memory_links (from_seq, to_seq, kind) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        [learning.seq, target.seq, kind],
      );
  }
};
