import type { SqlValue } from "../../../db/database.ts";
import type { Visibility } from "../store/learning.ts";
import { conditionsOf } from "../store/list-filter.ts";
import type { ListFilter } from "../store/store.ts";

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
  const conditions = conditionsOf(filter);
  return {
    sql: [where.sql, ...conditions.map(([sql]) => sql)].join(" AND "),
    values: [...where.values, ...conditions.map(([, value]) => value)],
  };
};
