import { mergeKeyOf } from "./clean-text.ts";
import type { Learning, NewLearning } from "./learning.ts";

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

/** What a learning says, in the order of its columns from `type` to `writer`. */
export const textColumns = (learning: Learning | NewLearning) => [
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
];

/** A whole learning in the order of its columns. */
export const allColumns = (learning: Learning) => [
  learning.seq,
  learning.id,
  ...textColumns(learning),
  mergeKeyOf({ ...learning, ephemeral: learning.expiresAt !== undefined }),
  learning.writers,
  learning.helpful,
  learning.harmful,
  learning.createdAt,
  learning.updatedAt,
  learning.verifiedAt,
  learning.expiresAt ?? null,
];
