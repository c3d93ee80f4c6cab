import { randomUUID } from "node:crypto";
import { AppError } from "../../../core/errors.ts";
import { mergeKeyOf } from "./clean-text.ts";
import { hasWritten, record } from "./journal.ts";
import type { Learning, NewLearning } from "./learning.ts";
import {
  insertLearning,
  LEARNING_COLUMNS,
  type LearningRow,
  toLearning,
  updateLearning,
} from "./learning-row.ts";
import { all, get, run, type Steps } from "../../../db/steps.ts";
import type { Added, AddOptions, Change } from "./store.ts";

export function* addLearning(change: Change, entry: NewLearning, options: AddOptions): Steps<Added> {
  const request = mergeKeyOf({ ...entry, ephemeral: entry.expiresAt !== undefined });
  const replayed = yield* replay(entry, options, request);
  if (replayed) return { learning: replayed, status: "replayed" };
  const twin = yield* findTwin(request, entry.createdAt);
  const learning = twin ? yield* merge(change, twin, entry) : yield* insert(change, entry);
  for (const { to, kind } of options.links ?? []) yield* link(learning, to, kind);
  if (options.idempotencyKey !== undefined)
    yield* run(
      "INSERT INTO memory_idempotency (writer, key, request, learning_id, at) VALUES ($1, $2, $3, $4, $5)",
      [entry.writer, options.idempotencyKey, request, learning.id, entry.createdAt],
    );
  return { learning, status: twin ? "merged" : "stored" };
}

function* replay(entry: NewLearning, options: AddOptions, request: string): Steps<Learning | undefined> {
  if (options.idempotencyKey === undefined) return undefined;
  const before = yield* get<{ request: string; learning_id: string }>(
    "SELECT request, learning_id FROM memory_idempotency WHERE writer = $1 AND key = $2",
    [entry.writer, options.idempotencyKey],
  );
  if (!before) return undefined;
  if (before.request !== request)
    throw new AppError(
      "conflict",
      `Idempotency key "${options.idempotencyKey}" was used for another learning; use a new key`,
    );
  const row = yield* get<LearningRow>(`SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE id = $1`, [
    before.learning_id,
  ]);
  // Deleted meanwhile: a repeated request must not bring it back.
  return row ? toLearning(row) : { ...asFirstSaid(entry), id: before.learning_id, seq: 0 };
}

const asFirstSaid = (entry: NewLearning): Omit<Learning, "seq"> => ({
  ...entry,
  writers: 1,
  helpful: 0,
  harmful: 0,
  updatedAt: entry.createdAt,
  verifiedAt: entry.createdAt,
});

/**
 * What says the same, the oldest. Sorted here: asked for the first by number, PostgreSQL may look through all
 * learnings in that order, for one that is not there.
 */
function* findTwin(mergeKey: string, now: number): Steps<Learning | undefined> {
  const rows = yield* all<LearningRow>(
    `SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE merge_key = $1 AND (expires_at IS NULL OR expires_at > $2)`,
    [mergeKey, now],
  );
  return rows.map(toLearning).sort((a, b) => a.seq - b.seq)[0];
}

function* insert({ index, at }: Change, entry: NewLearning): Steps<Learning> {
  const taken = yield* get("SELECT 1 AS taken FROM memory_learnings WHERE id = $1", [entry.id]);
  // An import brings its ids along; one that is taken stays with its first owner.
  const learning = yield* insertLearning({
    ...asFirstSaid(entry),
    ...(taken ? { id: randomUUID() } : {}),
  });
  index.insert(learning);
  yield* record({ writer: entry.writer, at }, learning.seq, undefined);
  return learning;
}

function* merge({ index, at }: Change, twin: Learning, entry: NewLearning): Steps<Learning> {
  const isKnown = twin.writer === entry.writer || (yield* hasWritten(entry.writer, twin.seq));
  yield* record({ writer: entry.writer, at }, twin.seq, twin);
  const alternative = twin.alternative ?? entry.alternative;
  const reason = twin.reason ?? entry.reason;
  const merged: Learning = {
    ...twin,
    ...(alternative === undefined ? {} : { alternative }),
    ...(reason === undefined ? {} : { reason }),
    confidence: Math.max(twin.confidence, entry.confidence),
    writers: twin.writers + (isKnown ? 0 : 1),
    updatedAt: Math.max(twin.updatedAt, entry.createdAt),
    verifiedAt: Math.max(twin.verifiedAt, entry.createdAt),
    ...(twin.expiresAt === undefined ? {} : { expiresAt: Math.max(twin.expiresAt, entry.expiresAt ?? 0) }),
  };
  index.remove(twin);
  yield* updateLearning(merged);
  index.insert(merged);
  return merged;
}

function* link({ seq }: Learning, to: string, kind: string): Steps<void> {
  const target = yield* get<{ seq: number }>("SELECT seq FROM memory_learnings WHERE id = $1", [to]);
  if (!target) throw new AppError("not-found", `There is no learning ${to} that this one ${kind}`);
  if (target.seq !== seq)
    yield* run(
      "INSERT INTO memory_links (from_seq, to_seq, kind) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
      [seq, target.seq, kind],
    );
}
