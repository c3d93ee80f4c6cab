import { compilePattern, type Pattern } from "./url-pattern.ts";

/** One block of `_headers`: for paths matching `pattern`, these headers are set (several values are joined). */
export type HeaderRule = { pattern: Pattern; headers: [name: string, value: string][] };

export type RuleFault = { line: number; message: string };

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const MAX_RULES = 100;

/**
 * What a site may say about its own files, and to whom else they may be shown. Everything else would frame the
 * message, be computed from the bytes, steer a proxy in front of this server, or reach beyond the site's pages
 * into what the browser keeps. In docs/publishing.md by these names.
 */
export const ALLOWED_HEADERS: ReadonlySet<string> = new Set([
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "access-control-max-age",
  "cache-control",
  "content-disposition",
  "content-language",
  "content-security-policy",
  "content-security-policy-report-only",
  "cross-origin-embedder-policy",
  "cross-origin-embedder-policy-report-only",
  "cross-origin-opener-policy",
  "cross-origin-opener-policy-report-only",
  "cross-origin-resource-policy",
  "document-policy",
  "expires",
  "link",
  "origin-agent-cluster",
  "permissions-policy",
  "referrer-policy",
  "reporting-endpoints",
  "sourcemap",
  "timing-allow-origin",
  "x-frame-options",
  "x-robots-tag",
]);

const parseHeader = (text: string): [string, string] | string => {
  const colon = text.indexOf(":");
  if (colon < 1) return `"${text}" is not "Name: value"`;
  const name = text.slice(0, colon).trim();
  const value = text.slice(colon + 1).trim();
  if (!TOKEN.test(name)) return `"${name}" is not a header name`;
  if (name.toLowerCase() === "basic-auth") return "Basic-Auth is not supported: sites are public";
  if (!ALLOWED_HEADERS.has(name.toLowerCase()))
    return `${name} cannot be set by a site; the headers that can are listed in docs/publishing.md`;
  if (!/^[\t\x20-\x7e]*$/.test(value))
    return `the value of ${name} holds a character outside printable ASCII`;
  return [name, value];
};

/** Parses Netlify's `_headers` grammar: a path line, then indented `Name: value` lines; `#` starts a comment. */
export const parseHeadersFile = (text: string): { rules: HeaderRule[]; faults: RuleFault[] } => {
  const rules: HeaderRule[] = [];
  const faults: RuleFault[] = [];
  let current: HeaderRule | undefined;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const line = index + 1;
    const content = raw.trim();
    if (content === "" || content.startsWith("#")) continue;
    if (content.startsWith("/") && !/^\s/.test(raw)) {
      const pattern = compilePattern(content);
      if (typeof pattern === "string") faults.push({ line, message: pattern });
      current = { pattern: typeof pattern === "string" ? { regex: /$^/, names: [] } : pattern, headers: [] };
      rules.push(current);
      continue;
    }
    const header = parseHeader(content);
    if (typeof header === "string") faults.push({ line, message: header });
    else if (!current) faults.push({ line, message: `"${content}" stands before any path` });
    else current.headers.push(header);
  }
  if (rules.length > MAX_RULES)
    faults.push({ line: 1, message: `${rules.length} paths; the limit is ${MAX_RULES}` });
  return { rules, faults };
};

/** Headers that apply to a path, in file order; a header named by several rules joins its values. */
export const headersFor = (rules: readonly HeaderRule[], path: string): Map<string, [string, string]> => {
  const found = new Map<string, [string, string]>();
  for (const { pattern, headers } of rules) {
    if (!pattern.regex.test(path)) continue;
    for (const [name, value] of headers) {
      const before = found.get(name.toLowerCase());
      found.set(name.toLowerCase(), [name, before ? `${before[1]}, ${value}` : value]);
    }
  }
  return found;
};
