type Operation = {
  summary?: string;
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema?: unknown }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>;
};

const STYLE = `
:root{color-scheme:light dark;--line:#8884;--accent:#2563eb}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:56rem;padding:24px 16px}
h2{margin:40px 0 8px}nav ul{display:flex;flex-wrap:wrap;gap:4px 16px;padding:0;list-style:none}details{border-top:1px solid var(--line);padding:8px 0}
summary{cursor:pointer;display:flex;gap:12px;align-items:baseline;flex-wrap:wrap}
summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
code,pre{font:14px/1.5 ui-monospace,monospace}pre{overflow:auto;padding:12px;border:1px solid var(--line);border-radius:8px}
.method{font-weight:700;min-width:4.5rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:4px 12px 4px 0;vertical-align:top}
a{color:var(--accent)}`;

/** The API as a page that needs no script and nothing from elsewhere. */
export const renderOpenApiPage = (document: Record<string, unknown>): string => {
  const groups = new Map<string, string[]>();
  for (const [path, methods] of Object.entries((document["paths"] ?? {}) as Record<string, object>))
    for (const [method, operation] of Object.entries(methods as Record<string, Operation>)) {
      const tag = operation.tags?.[0] ?? "other";
      groups.set(tag, [...(groups.get(tag) ?? []), renderOperation(method, path, operation)]);
    }
  const sections = [...groups].map(
    ([tag, items]) => `<h2 id="${idOf(tag)}">${escape(tag)}</h2>${items.join("")}`,
  );
  const links = [...groups.keys()].map((tag) => `<li><a href="#${idOf(tag)}">${escape(tag)}</a></li>`);
  const body = `<nav aria-label="Groups"><ul>${links.join("")}</ul></nav>${sections.join("")}`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Nightshift API</title><style>${STYLE}</style></head><body><main><h1>Nightshift API</h1><p>The same as JSON: <a href="/openapi.json">/openapi.json</a>. Errors are <code>application/problem+json</code> with every fault in <code>errors</code>.</p>${body}</main></body></html>`;
};

const renderOperation = (method: string, path: string, operation: Operation): string => {
  const key = operation.security ? " (needs a bearer token)" : "";
  const id = idOf(`${method} ${path}`);
  return `<details id="${id}"><summary><code class="method">${escape(method.toUpperCase())}</code><code>${escape(path)}</code><span>${escape(operation.summary ?? "")}${key}</span></summary>${
    operation.description ? `<p>${prose(operation.description)}</p>` : ""
  }${renderParameters(operation)}${renderBody(operation)}${renderResponses(operation)}</details>`;
};

/** What an address can name: a link to an operation opens its details. */
const idOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

const renderParameters = ({ parameters }: Operation): string =>
  !parameters?.length
    ? ""
    : `<h3>Parameters</h3><table>${parameters
        .map(
          ({ name, in: where, required, schema }) =>
            `<tr><td><code>${escape(name)}</code></td><td>${escape(where)}${required ? ", required" : ""}</td><td><code>${escape(JSON.stringify(schema))}</code></td></tr>`,
        )
        .join("")}</table>`;

const renderBody = ({ requestBody }: Operation): string =>
  Object.entries(requestBody?.content ?? {})
    .map(([type, { schema }]) => `<h3>Body (${escape(type)})</h3>${pre(schema)}`)
    .join("");

const renderResponses = ({ responses }: Operation): string =>
  Object.entries(responses ?? {})
    .map(
      ([status, { description, content }]) =>
        `<h3>${escape(status)} ${escape(description ?? "")}</h3>${
          status.startsWith("2")
            ? Object.values(content ?? {})
                .map(({ schema }) => pre(schema))
                .join("")
            : ""
        }`,
    )
    .join("");

/** Text with `names` in it. */
const prose = (text: string): string => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>");

// What scrolls has to be reached by keyboard.
const pre = (value: unknown): string =>
  `<pre tabindex="0">${escape(JSON.stringify(value, undefined, 2) ?? "")}</pre>`;

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
