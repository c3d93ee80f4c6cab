import type { RuleFault } from "./headers-file.ts";
import { compilePattern, matchPattern, type Pattern } from "./url-pattern.ts";

/**
 * One line of `_redirects`. `force` answers even where a file exists. `query` are parameters that must be
 * there (a `:name` value is a placeholder). Status 200 and 404 serve `to` in place; the others redirect.
 */
export type RedirectRule = {
  pattern: Pattern;
  query: [name: string, value: string][];
  to: string;
  status: 200 | 301 | 302 | 303 | 307 | 308 | 404;
  force: boolean;
};

const STATUSES = [200, 301, 302, 303, 307, 308, 404] as const;
const MAX_RULES = 1000;

const isTarget = (text: string): boolean =>
  /^\/(?![/\\])/.test(text) || (/^https?:\/\/[^/]/.test(text) && URL.canParse(text.replace(/:\w+/g, "x")));

const parseStatus = (
  text: string | undefined,
): { status: RedirectRule["status"]; force: boolean } | string => {
  const match = /^(\d{3})(!?)$/.exec(text ?? "301");
  const status = STATUSES.find((known) => String(known) === match?.[1]);
  if (!match || !status)
    return `"${text}" is not a status; use one of ${STATUSES.join(", ")}, with "!" to force`;
  return { status, force: match[2] === "!" };
};

const parseLine = (content: string): RedirectRule | string => {
  const parts = content.split(/\s+/);
  const from = parts.shift() ?? "";
  if (/^https?:\/\//.test(from)) return "a rule for another host is not supported: write the path only";
  const query: [string, string][] = [];
  while (parts[0] !== undefined && /^[\w.-]+=/.test(parts[0])) {
    const [name = "", ...value] = (parts.shift() ?? "").split("=");
    query.push([name, value.join("=")]);
  }
  const to = parts.shift();
  if (to === undefined) return `"${content}" has no target`;
  if (!isTarget(to)) return `"${to}" is not a target: a path that starts with one "/", or an http(s) URL`;
  const parsed = parseStatus(parts.shift());
  if (typeof parsed === "string") return parsed;
  if (parts.length > 0) return `the condition "${parts.join(" ")}" is not supported`;
  if (!to.startsWith("/") && (parsed.status === 200 || parsed.status === 404))
    return `status ${parsed.status} serves a file of this site: "${to}" is another host`;
  const pattern = compilePattern(from);
  return typeof pattern === "string" ? pattern : { pattern, query, to, ...parsed };
};

/** Parses Netlify's `_redirects` grammar: `from [name=value…] to [status[!]]` a line; `#` starts a comment. */
export const parseRedirectsFile = (text: string): { rules: RedirectRule[]; faults: RuleFault[] } => {
  const rules: RedirectRule[] = [];
  const faults: RuleFault[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const content = raw.replace(/(^|\s)#.*$/, "").trim();
    if (content === "") continue;
    const rule = parseLine(content);
    if (typeof rule === "string") faults.push({ line: index + 1, message: rule });
    else rules.push(rule);
  }
  if (rules.length > MAX_RULES)
    faults.push({ line: 1, message: `${rules.length} rules; the limit is ${MAX_RULES}` });
  return { rules, faults };
};

export type RedirectMatch = { to: string; status: RedirectRule["status"]; force: boolean };

const matchQuery = (
  wanted: RedirectRule["query"],
  query: URLSearchParams,
  values: Map<string, string>,
): boolean => {
  for (const [name, value] of wanted) {
    const actual = query.get(name);
    if (actual === null) return false;
    if (value.startsWith(":")) values.set(value.slice(1), actual);
    else if (actual !== value) return false;
  }
  return true;
};

const encodeSplat = (value: string): string => value.split("/").map(encodeURIComponent).join("/");

/** The target with its placeholders filled in. A value never brings its own host: it is encoded. */
const fill = (to: string, values: Map<string, string>): string =>
  to
    .replace(/:(\w+)/g, (whole, name: string) => {
      const value = values.get(name);
      return value === undefined ? whole : encodeSplat(value);
    })
    // "/:splat" with an empty or slash-led value must not become "//host".
    .replace(/^\/{2,}/, "/");

/** The first rule that matches a decoded path, with its target filled in; `forced` looks only at `!` rules. */
export const findRedirect = (
  rules: readonly RedirectRule[],
  path: string,
  { query, forced }: { query: URLSearchParams; forced: boolean },
): RedirectMatch | undefined => {
  for (const rule of rules) {
    if (forced && !rule.force) continue;
    const values = matchPattern(rule.pattern, path);
    if (!values || !matchQuery(rule.query, query, values)) continue;
    return { to: fill(rule.to, values), status: rule.status, force: rule.force };
  }
  return undefined;
};
