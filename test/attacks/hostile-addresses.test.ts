// @module-tag long

import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { describeServers } from "../../server/fixtures/describe-servers.ts";
import { createRawClient, type RawAnswer } from "../../server/fixtures/raw-client.ts";
import { HOSTILE_REQUESTS } from "./hostile-requests.ts";

const CONNECTIONS = 8;

const OWN = "<p>the fuzzed site's own words</p>".repeat(40);
const FILES = {
  "index.html": `<title>home</title>${OWN}`,
  "a.html": "own a",
  "a/b/index.html": "own b",
  "100%.txt": "own percent",
  "ü.txt": "own umlaut",
  "data.bin": Buffer.from("own 0123456789"),
  "404.html": "own 404",
  _headers: "/*\n  X-Robots-Tag: SECRET-RULE\n",
  _redirects: "/r/* /a/:splat 302\n/spa/* /index.html 200\n# SECRET-RULE\n",
};
const FOREIGN = { "index.html": "SECRET-FOREIGN", "a.html": "SECRET-FOREIGN" };

const weird = [
  "..",
  ".",
  "%2e%2e",
  "%2f",
  "%5c",
  "\\",
  "%00",
  "%",
  "%zz",
  "%c0%af",
  "%252e",
  "%E2%80%AE",
  ";",
  "//",
  "?",
  "#",
  "\u00ff",
  ":",
  "@",
  " ",
];
const names = [
  "index.html",
  "a",
  "b",
  "a.html",
  "100%25.txt",
  "%C3%BC.txt",
  "data.bin",
  "_headers",
  "_redirects",
  "404.html",
  ".env",
  ".well-known",
  "r",
  "spa",
  "api",
  "sites",
  "app",
  "admin-token",
  "nightshift.sqlite",
  "blobs",
  "etc",
  "passwd",
  "health",
  "inject",
];

const path = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...names) },
      fc.constantFrom(...weird),
      fc.string({ maxLength: 6 }),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => `/${parts.join("/")}`);
const target = fc.oneof(
  { weight: 8, arbitrary: path },
  { weight: 1, arbitrary: fc.tuple(path, path).map(([a, b]) => `${a}?x=${b}`) },
  { weight: 1, arbitrary: path.map((text) => `http://SITE/${text}`) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);
const host = fc.oneof(
  { weight: 12, arbitrary: fc.constant("fuzzed.localhost") },
  { weight: 3, arbitrary: fc.constantFrom("localhost", "127.0.0.1", "[::1]") },
  fc.constantFrom(
    "FUZZED.LOCALHOST.",
    "nowhere.localhost",
    "a.fuzzed.localhost",
    "fuzzed.localhost.evil.example",
    "evil.example",
    "0123456789abcdef--fuzzed.localhost",
    "x",
    "",
    "fuzzed.localhost:99999",
    "fuzzed.localhost/..",
    "a@fuzzed.localhost",
  ),
  fc.string({ maxLength: 20 }),
);
const method = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom("GET", "HEAD") },
  fc.constantFrom("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "get", "G\u00e9T"),
);
const etag = fc.oneof(
  fc.constantFrom("*", '"x"', 'W/"x"', '""', '"', "x", '"a", "b"'),
  fc.string({ maxLength: 12 }),
);
const header = fc.oneof(
  fc.tuple(fc.constantFrom("If-None-Match", "If-Match", "If-Range"), etag),
  fc.tuple(
    fc.constant("Range"),
    fc.oneof(
      fc.constantFrom("bytes=0-", "bytes=-1", "bytes=5-2", "bytes=0-0,2-3", "bytes=99999-", "bytes=", "x=1"),
      fc.tuple(fc.nat(50), fc.nat(50)).map(([a, b]) => `bytes=${a}-${b}`),
    ),
  ),
  fc.tuple(
    fc.constantFrom("If-Modified-Since", "If-Unmodified-Since"),
    fc.oneof(fc.constant("Fri, 20 Nov 2026 18:00:00 GMT"), fc.string({ maxLength: 20 })),
  ),
  fc.tuple(
    fc.constant("Accept-Encoding"),
    fc.constantFrom("br", "gzip", "br, gzip", "*;q=0", "gzip;q=9", ";;,", "identity"),
  ),
  fc.tuple(
    fc.constantFrom(
      "Accept",
      "Sec-Fetch-Dest",
      "Origin",
      "Cookie",
      "X-Forwarded-Host",
      "X-Original-URL",
      "Authorization",
    ),
    fc.oneof(
      fc.constantFrom("text/html", "document", "script", "/app", "localhost"),
      fc.string({ maxLength: 16 }),
    ),
  ),
);
const request = fc.record({ method, target, host, headers: fc.array(header, { maxLength: 4 }) });
type Fuzzed = { method: string; target: string; host: string; headers: [string, string][] };

const clean = (text: string): string => text.replace(/[\r\n\u0000]/g, "");

const toBytes = ({ method, target, host, headers }: Fuzzed): Buffer => {
  const lines = [`${method} ${clean(target).replaceAll(" ", "%20") || "/"} HTTP/1.1`, `Host: ${clean(host)}`];
  for (const [name, value] of headers) lines.push(`${name}: ${clean(value)}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
};

const decoded = ({ head, body }: RawAnswer): Buffer => {
  if (body.length === 0) return body;
  if (head.includes("\r\ncontent-encoding: br")) return brotliDecompressSync(body);
  return head.includes("\r\ncontent-encoding: gzip") ? gunzipSync(body) : body;
};

const known = Object.entries(FILES)
  .filter(([name]) => !name.startsWith("_"))
  .map(([, content]) => Buffer.from(content));

/** What must never come back, whatever was asked; undefined when all is well. */
const findBreach = (asked: Fuzzed, answer: RawAnswer): string | undefined => {
  const { status, head } = answer;
  // Bun's parser calls a request line that is none "HTTP Version Not Supported".
  const isRequestLine = /^[A-Za-z]+ [\x21-\x7e]+ HTTP/.test(toBytes(asked).toString("latin1"));
  if (status >= 500 && (status !== 505 || isRequestLine)) return `answered ${status}`;
  const body = decoded(answer);
  const isControl = head.includes("\r\nx-request-id:");
  const isSite = head.includes("\r\nx-deployment-id:");
  if (isControl && isSite) return "both the API and a site answered";
  if (/SECRET-FOREIGN|SECRET-RULE/.test(body.toString("latin1")))
    return "sent bytes that are not the site's to send";
  const name = asked.host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
  if (isControl && name.endsWith(".localhost") && status < 400) return "the API answered on a site's host";
  if (isSite && name !== "fuzzed.localhost") return "the site answered on another host";
  if (
    isSite &&
    (status === 200 || status === 206) &&
    asked.method === "GET" &&
    !known.some((file) => file.includes(body))
  )
    return "sent bytes that are in no file of the site";
  return undefined;
};

describeServers("hostile addresses", (lab) => {
  // PostgreSQL gets the beginning: sites are served from memory, whatever the database.
  const count = Math.ceil(HOSTILE_REQUESTS * (lab.name.endsWith("SQLite") ? 0.7 : 0.2));
  beforeAll(async () => {
    await lab.admin.publish("fuzzed", FILES);
    await lab.admin.publish("foreign", FOREIGN);
    await lab.admin.create("fuzzed", { "index.html": "SECRET-FOREIGN" });
  });

  test(
    `${count} requests of any path, host and header get nothing that is not theirs, and never a 5xx`,
    async () => {
      const requests = fc.sample(request, { numRuns: count, seed: 20_261_120 }) as Fuzzed[];
      const statuses = new Map<number, number>();
      const worker = async (own: Fuzzed[]): Promise<void> => {
        const client = createRawClient(lab.server.port);
        for (const asked of own) {
          const answer = await client.send(toBytes(asked), { isBodiless: asked.method === "HEAD" });
          statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1);
          if (answer) expect([findBreach(asked, answer), asked]).toEqual([undefined, asked]);
        }
        client.close();
      };
      await Promise.all(
        Array.from({ length: CONNECTIONS }, (_, index) =>
          worker(requests.filter((_, at) => at % CONNECTIONS === index)),
        ),
      );
      // The fuzz reaches what it is meant to reach.
      for (const status of [200, 302, 400, 403, 404, 405, 412])
        expect([status, statuses.has(status)]).toEqual([status, true]);
    },
    count * 30 + 30_000,
  );
});
