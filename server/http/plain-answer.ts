import { escapeHtml } from "../../core/escape-html.ts";

const HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-cache",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

const page = (title: string, text: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;display:grid;place-content:center;min-height:90vh;margin:0;padding:24px;text-align:center}p{color:#595959;margin:0}@media(prefers-color-scheme:dark){p{color:#b3b3b3}}</style></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></body></html>
`;

/** The words a visitor gets when nobody else has any: a page for people, a line for programs. */
export const plainAnswer = (
  status: number,
  { title, text }: { title: string; text: string },
  { isHtml, method, headers = {} }: { isHtml: boolean; method: string; headers?: Record<string, string> },
): Response => {
  const bytes = new TextEncoder().encode(isHtml ? page(title, text) : `${title}\n${text}\n`);
  return new Response(method === "HEAD" ? null : bytes, {
    status,
    headers: {
      ...HEADERS,
      "content-type": isHtml ? "text/html; charset=utf-8" : "text/plain; charset=utf-8",
      "content-length": String(bytes.byteLength),
      ...headers,
    },
  });
};
