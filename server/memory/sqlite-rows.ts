import type { SqlValue } from "../db/database.ts";
import type { Learning, Visibility } from "./learning.ts";
import type { ListFilter } from "./store.ts";

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

/** A condition with its values. */
export type Where = { sql: string; values: SqlValue[] };

/** The one place that says what a caller may see. Nothing that has expired is ever seen. */
export const visible = ({ scopes, project }: Visibility, now: number): Where => {
  const parts = ["(expires_at IS NULL OR expires_at > ?)"];
  const values: SqlValue[] = [now];
  if (scopes !== "all") {
    parts.push(scopes.length === 0 ? "0" : `scope IN (${scopes.map(() => "?").join(",")})`);
    values.push(...scopes);
  }
  if (project !== undefined) {
    parts.push("(project IS NULL OR project = ?)");
    values.push(project);
  }
  return { sql: parts.join(" AND "), values };
};

export const filtered = (filter: ListFilter & { id?: string }, now: number): Where => {
  const where = visible(filter.visibility, now);
  const wanted: [string, SqlValue | undefined][] = [
    ["id = ?", filter.id],
    ["type = ?", filter.type],
    ["project = ?", filter.project],
    ["marker = ?", filter.marker],
    ["writer = ?", filter.writer],
    ["confidence < ?", filter.confidenceBelow],
    ["verified_at < ?", filter.verifiedBefore],
  ];
  const used = wanted.filter((entry): entry is [string, SqlValue] => entry[1] !== undefined);
  return {
    sql: [where.sql, ...used.map(([sql]) => sql)].join(" AND "),
    values: [...where.values, ...used.map(([, value]) => value)],
  };
};
