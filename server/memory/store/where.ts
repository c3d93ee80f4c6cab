import { conditionsOf } from "./list-filter.ts";
import type { Visibility } from "./learning.ts";
import type { ListFilter } from "./store.ts";

/** A condition with its values, which are numbered from the first one on. */
export type Where = { sql: string; values: (string | number)[] };

/** Numbers the values of a condition that is put together piece by piece. */
const createWhere = ({ scopes, project }: Visibility, { now, first }: { now: number; first: number }) => {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  const add = (sql: string, ...added: (string | number)[]): void => {
    parts.push(
      added.reduce<string>((text, value) => text.replace("?", `$${first + values.push(value) - 1}`), sql),
    );
  };
  add("(expires_at IS NULL OR expires_at > ?)", now);
  if (scopes !== "all")
    add(scopes.length === 0 ? "false" : `scope IN (${scopes.map(() => "?").join(", ")})`, ...scopes);
  if (project !== undefined) add("(project IS NULL OR project = ?)", project);
  return { add, done: (): Where => ({ sql: parts.join(" AND "), values }) };
};

/** The one place that says what a caller may see. Nothing that has expired is ever seen. */
export const visible = (visibility: Visibility, { now, first = 1 }: { now: number; first?: number }): Where =>
  createWhere(visibility, { now, first }).done();

export const filtered = (
  filter: ListFilter & { id?: string },
  { now, first = 1 }: { now: number; first?: number },
): Where => {
  const where = createWhere(filter.visibility, { now, first });
  for (const [sql, value] of conditionsOf(filter)) where.add(sql, value);
  return where.done();
};
