import type { Visibility } from "./learning.ts";
import type { ListFilter } from "./store.ts";

/** A condition with its values, which are numbered from the first one on. */
export type Where = { sql: string; values: (string | number)[] };
type Condition = [sql: string, ...values: (string | number | undefined)[]];

const inScopes = (scopes: Visibility["scopes"]): Condition => {
  if (scopes === "all") return ["true"];
  return scopes.length === 0 ? ["false"] : [`scope IN (${scopes.map(() => "?").join(", ")})`, ...scopes];
};

/** The one place that says what a caller may see, narrowed to a filter. Nothing that has expired is ever seen. */
export const filtered = (
  { visibility, ...filter }: ListFilter & { id?: string },
  { now, first = 1 }: { now: number; first?: number },
): Where => {
  const conditions: Condition[] = [
    ["(expires_at IS NULL OR expires_at > ?)", now],
    inScopes(visibility.scopes),
    ["(project IS NULL OR project = ?)", visibility.project],
    ["id = ?", filter.id],
    ["type = ?", filter.type],
    ["project = ?", filter.project],
    ["marker = ?", filter.marker],
    ["writer = ?", filter.writer],
    ["confidence < ?", filter.confidenceBelow],
    ["verified_at < ?", filter.verifiedBefore],
  ];
  const asked = conditions.filter((one) => !one.includes(undefined));
  let next = first;
  return {
    sql: asked.map(([sql]) => sql.replaceAll("?", () => `$${next++}`)).join(" AND "),
    values: asked.flatMap(([, ...values]) => values as (string | number)[]),
  };
};

export const visible = (visibility: Visibility, at: { now: number; first?: number }): Where =>
  filtered({ visibility }, at);
