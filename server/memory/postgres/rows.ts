import type { SqlParameter } from "../../../db/postgres/postgres.ts";
import type { Visibility } from "../store/learning.ts";
import { conditionsOf } from "../store/list-filter.ts";
import type { ListFilter } from "../store/store.ts";

/** A learning's columns for whoever reads it; its index is for the search alone. */
export const COLUMNS =
  "seq, id, type, trigger, learning, alternative, reason, source, confidence, scope, project, marker, writer, merge_key, writers, helpful, harmful, created_at, updated_at, verified_at, expires_at, revision";

/** A condition with its values, which are numbered from the first one on. */
export type Where = { sql: string; values: SqlParameter[] };

/** Numbers the values of a condition that is put together piece by piece. */
const createWhere = (first: number) => {
  const parts: string[] = [];
  const values: SqlParameter[] = [];
  return {
    add: (sql: string, value: SqlParameter): void => {
      values.push(value);
      parts.push(sql.replace("?", `$${first + values.length - 1}`));
    },
    done: (): Where => ({ sql: parts.join(" AND "), values }),
  };
};

const addVisible = (
  where: ReturnType<typeof createWhere>,
  { scopes, project }: Visibility,
  now: number,
): void => {
  where.add("(expires_at IS NULL OR expires_at > ?)", now);
  if (scopes !== "all") where.add("scope = ANY(?::text[])", scopes);
  if (project !== undefined) where.add("(project IS NULL OR project = ?)", project);
};

/** The one place that says what a caller may see. Nothing that has expired is ever seen. */
export const visible = (
  visibility: Visibility,
  { now, first = 1 }: { now: number; first?: number },
): Where => {
  const where = createWhere(first);
  addVisible(where, visibility, now);
  return where.done();
};

export const filtered = (
  filter: ListFilter & { id?: string },
  { now, first = 1 }: { now: number; first?: number },
): Where => {
  const where = createWhere(first);
  addVisible(where, filter.visibility, now);
  for (const [sql, value] of conditionsOf(filter)) where.add(sql, value);
  return where.done();
};
