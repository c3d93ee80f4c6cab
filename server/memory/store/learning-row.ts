import { insertion } from "../../../db/rows.ts";
import { get, run, type Steps } from "../../../db/steps.ts";
import { mergeKeyOf } from "./clean-text.ts";
import type { Learning } from "./learning.ts";

/** What is looked at of a row as such: it has every column of `LEARNING_COLUMNS`, with null for what is not said. */
export type LearningRow = Pick<Learning, "seq" | "id">;

/** Its columns for whoever reads it; how it is found is for the search alone. */
export const LEARNING_COLUMNS = `seq, id, type, trigger, learning, alternative, reason, source, confidence, scope, project, marker,
 writer, writers, helpful, harmful, created_at AS "createdAt", updated_at AS "updatedAt", verified_at AS "verifiedAt", expires_at AS "expiresAt"`;

export const toLearning = (row: LearningRow): Learning =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Learning;

/** Always among the columns, so that there is one statement for all learnings. */
const UNSAID = {
  alternative: undefined,
  reason: undefined,
  source: undefined,
  project: undefined,
  marker: undefined,
  expiresAt: undefined,
};

/** @returns the learning with the number that the database gave it, or that it had before it was deleted */
export function* insertLearning(learning: Omit<Learning, "seq"> & { seq?: number }): Steps<Learning> {
  const mergeKey = mergeKeyOf({ ...learning, ephemeral: learning.expiresAt !== undefined });
  const [text, values] = insertion("memory_learnings", { ...UNSAID, ...learning, mergeKey });
  const row = yield* get<LearningRow>(`${text} RETURNING ${LEARNING_COLUMNS}`, values);
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
