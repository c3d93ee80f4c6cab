import { mergeKeyOf } from "./clean-text.ts";
import type { Learning } from "./learning.ts";
import { get, run, type Steps } from "../../../db/steps.ts";

/** A learning as both databases keep it. */
export type LearningRow = {
  seq: number;
  id: string;
  type: Learning["type"];
  trigger: string;
  learning: string;
  alternative: string | null;
  reason: string | null;
  source: string | null;
  confidence: number;
  scope: string;
  project: string | null;
  marker: string | null;
  writer: string;
  merge_key: string;
  writers: number;
  helpful: number;
  harmful: number;
  created_at: number;
  updated_at: number;
  verified_at: number;
  expires_at: number | null;
};

/** Its columns for whoever reads it; how it is found is for the search alone. */
export const LEARNING_COLUMNS =
  "seq, id, type, trigger, learning, alternative, reason, source, confidence, scope, project, marker, writer, merge_key, writers, helpful, harmful, created_at, updated_at, verified_at, expires_at";

export const toLearning = (row: LearningRow): Learning => ({
  seq: row.seq,
  id: row.id,
  type: row.type,
  trigger: row.trigger,
  learning: row.learning,
  ...(row.alternative === null ? {} : { alternative: row.alternative }),
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.source === null ? {} : { source: row.source }),
  confidence: row.confidence,
  scope: row.scope,
  ...(row.project === null ? {} : { project: row.project }),
  ...(row.marker === null ? {} : { marker: row.marker }),
  writer: row.writer,
  writers: row.writers,
  helpful: row.helpful,
  harmful: row.harmful,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  verifiedAt: row.verified_at,
  ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
});

/** @returns the learning with the number that the database gave it, or that it had before it was deleted */
export function* insertLearning(learning: Omit<Learning, "seq"> & { seq?: number }): Steps<Learning> {
  const { seq } = learning;
  const columns = `${seq === undefined ? "" : "seq, "}id, type, trigger, learning, alternative, reason, source, confidence,
scope, project, marker, writer, merge_key, writers, helpful, harmful, created_at, updated_at, verified_at, expires_at`;
  const values = [
    ...(seq === undefined ? [] : [seq]),
    learning.id,
    learning.type,
    learning.trigger,
    learning.learning,
    learning.alternative ?? null,
    learning.reason ?? null,
    learning.source ?? null,
    learning.confidence,
    learning.scope,
    learning.project ?? null,
    learning.marker ?? null,
    learning.writer,
    mergeKeyOf({ ...learning, ephemeral: learning.expiresAt !== undefined }),
    learning.writers,
    learning.helpful,
    learning.harmful,
    learning.createdAt,
    learning.updatedAt,
    learning.verifiedAt,
    learning.expiresAt ?? null,
  ];
  const row = yield* get<LearningRow>(
    `INSERT INTO memory_learnings (${columns}) VALUES (${values.map((_, at) => `$${at + 1}`).join(", ")})
     RETURNING ${LEARNING_COLUMNS}`,
    values,
  );
  if (!row) throw new Error(`learning ${learning.id} was not stored`);
  return toLearning(row);
}

/** Writes what may change of a learning. */
export function* updateLearning(learning: Learning): Steps<void> {
  yield* run(
    `UPDATE memory_learnings SET confidence = $1, alternative = $2, reason = $3, writers = $4, helpful = $5,
     harmful = $6, updated_at = $7, verified_at = $8, expires_at = $9 WHERE seq = $10`,
    [
      learning.confidence,
      learning.alternative ?? null,
      learning.reason ?? null,
      learning.writers,
      learning.helpful,
      learning.harmful,
      learning.updatedAt,
      learning.verifiedAt,
      learning.expiresAt ?? null,
      learning.seq,
    ],
  );
}

export function* findBySeq(seq: number): Steps<Learning | undefined> {
  const row = yield* get<LearningRow>(`SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE seq = $1`, [
    seq,
  ]);
  return row && toLearning(row);
}
