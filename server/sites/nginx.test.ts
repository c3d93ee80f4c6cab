import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPublisher, sha256 } from "../fixtures/http-client.ts";
import { NGINX, type PeerServer, startNginx } from "../fixtures/peer-server.ts";
import { createRawClient, type RawAnswer } from "../fixtures/raw-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";

const FILES = {
  "index.html": "<h1>home</h1>",
  "about.html": "<h1>about</h1>",
  "404.html": "<h1>nothing here</h1>",
  "docs/index.html": "<h1>docs</h1>",
  "docs/guide.html": "<h1>guide</h1>",
  "assets/app.js": "export {};",
  "assets/app.mjs": "export {};",
  "assets/style.css": "a{}",
  "assets/data.json": "{}",
  "assets/icon.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
  "assets/font.woff2": "font",
  "assets/photo.webp": "webp",
  "assets/module.wasm": "wasm",
  "assets/feed.xml": "<x/>",
  "assets/notes.txt": "notes",
  "assets/read.md": "# read",
  "assets/site.webmanifest": "{}",
  "assets/table.csv": "a,b",
  "assets/thing.unknown": "thing",
  "with space.txt": "space",
  "ünï.txt": "unicode",
  "100%.txt": "percent",
  "digits.bin": "0123456789",
};

type Case = { name: string; line: string; headers?: Record<string, string> };

const paths = [
  "/",
  "/index.html",
  "/about.html",
  "/about",
  "/about.html/",
  "/docs",
  "/docs?a=1",
  "/docs/",
  "/docs/guide.html",
  "/docs/index.html",
  "/missing",
  "/docs/missing.html",
  "/missing.js",
  "/assets",
  "/assets/",
  "/ABOUT.html",
  "/with%20space.txt",
  "/%C3%BCn%C3%AF.txt",
  "/u%CC%88ni%CC%88.txt",
  "/100%25.txt",
  "/about%2Ehtml",
  "/%61bout.html",
  "/docs//guide.html",
  "//about.html",
  "/docs/./guide.html",
  "/docs/../about.html",
  "/../about.html",
  "/docs/%2e%2e/about.html",
  "/docs%2Fguide.html",
  "/docs%5Cguide.html",
  "/%00",
  "/%",
  "/%zz",
  "/about.html?x=%00",
  "/about.html;x",
  ...Object.keys(FILES)
    .filter((path) => path.startsWith("assets/"))
    .map((path) => `/${path}`),
];
const methods = ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
const ranges = [
  "bytes=0-3",
  "bytes=4-",
  "bytes=-2",
  "bytes=0-99",
  "bytes=10-",
  "bytes=-0",
  "bytes=5-2",
  "bytes=x",
  "lines=1-2",
  "bytes=0-1,4-5",
];

/** `OWN-ETAG` and `OWN-DATE` stand for what each server itself said of the file. */
const conditions: Record<string, string>[] = [
  { "if-none-match": "OWN-ETAG" },
  { "if-none-match": "W/OWN-ETAG" },
  { "if-none-match": '"x", OWN-ETAG' },
  { "if-none-match": "*" },
  { "if-none-match": '"x"' },
  { "if-match": "OWN-ETAG" },
  { "if-match": "W/OWN-ETAG" },
  { "if-match": '"x"' },
  { "if-match": "*" },
  { "if-modified-since": "OWN-DATE" },
  { "if-modified-since": "Sat, 01 Jan 2000 00:00:00 GMT" },
  { "if-unmodified-since": "Sat, 01 Jan 2000 00:00:00 GMT" },
  { "if-none-match": '"x"', "if-modified-since": "OWN-DATE" },
  { range: "bytes=0-3", "if-range": "OWN-ETAG" },
  { range: "bytes=0-3", "if-range": '"x"' },
  { range: "bytes=0-3", "if-range": "OWN-DATE" },
];

const cases: Case[] = [
  ...paths.map((path) => ({ name: `GET ${path}`, line: `GET ${path}` })),
  ...methods.map((method) => ({ name: `${method} /about.html`, line: `${method} /about.html` })),
  ...ranges.map((range) => ({ name: `Range: ${range}`, line: "GET /digits.bin", headers: { range } })),
  ...conditions.map((headers) => ({
    name: Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join(", "),
    line: "GET /digits.bin",
    headers,
  })),
];

type Peer = { port: number; host: string };

const ask = async ({ port, host }: Peer, { line, headers = {} }: Case): Promise<string> => {
  const send = async (text: string, sent: Record<string, string>) => {
    const client = createRawClient(port);
    const lines = Object.entries({ host, accept: "text/html,*/*", connection: "close", ...sent }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const isBodiless = text.startsWith("HEAD");
    const answer = await client.send(Buffer.from(`${text} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`), {
      isBodiless,
    });
    client.close();
    return answer;
  };
  const own = { etag: "", date: "" };
  if (Object.values(headers).some((value) => value.includes("OWN"))) {
    const first = await send(line, {});
    own.etag = /\r\netag: (\S+)/.exec(first?.head ?? "")?.[1] ?? "";
    own.date = new Date(/\r\nlast-modified: ([^\r]+)/.exec(first?.head ?? "")?.[1] ?? 0).toUTCString();
  }
  const filled = Object.entries(headers).map(([name, value]) => [
    name,
    value.replace("OWN-ETAG", own.etag).replace("OWN-DATE", own.date),
  ]);
  const answer = await send(line, Object.fromEntries(filled) as Record<string, string>);
  return answer ? summarize(answer, line.startsWith("HEAD")) : "no answer";
};

const headerOf = ({ head }: RawAnswer, name: string): string | undefined =>
  new RegExp(`\r\n${name}: ([^\r]*)`).exec(head)?.[1];

/** What a client sees of an answer, in one line. Words of an error page are each server's own. */
const summarize = (answer: RawAnswer, isHead: boolean): string => {
  const { status, body } = answer;
  const type = headerOf(answer, "content-type") ?? "no type";
  // The parts' boundary is another one every time.
  if (type.startsWith("multipart/byteranges")) return `${status} multipart/byteranges`;
  const part = headerOf(answer, "content-range");
  const moved = headerOf(answer, "location");
  const words = [String(status)];
  if (moved !== undefined) words.push(`to ${moved}`);
  if (part !== undefined) words.push(part);
  if (headerOf(answer, "allow") !== undefined) words.push("with Allow");
  if (status === 200 || status === 206)
    words.push(type, `${headerOf(answer, "content-length")} bytes`, isHead ? "" : sha256(body).slice(0, 4));
  return words.join(" ").trim();
};

describe.skipIf(NGINX === undefined)("the same tree under nginx and under us", () => {
  let nginx: PeerServer;
  let ours: TestServer;
  beforeAll(async () => {
    nginx = await startNginx(FILES);
    ours = await startTestServer("bun");
    await createPublisher(ours.port, ours.adminToken).publish("same", FILES);
  });
  afterAll(async () => {
    await nginx.stop();
    await ours.stop();
  });

  test("differs only where docs/publishing.md says so, with the reason", async () => {
    const found: string[] = [];
    for (const one of cases) {
      const theirs = await ask({ port: nginx.port, host: `localhost:${nginx.port}` }, one);
      const mine = await ask({ port: ours.port, host: `same.localhost:${ours.port}` }, one);
      if (theirs !== mine) found.push(`| \`${one.name}\` | ${theirs} | ${mine} |`);
    }
    const page = readFileSync(resolve(import.meta.dirname, "../../docs/publishing.md"), "utf8");
    const chapter = page.split("## How does it differ from nginx?")[1]?.split("\n## ")[0] ?? "";
    const rows = chapter.split("\n").filter((line) => /^\| `(?:[A-Z]+ \/|Range)/.test(line));
    for (const row of rows) expect(row.split(" | ")[3]?.length ?? 0).toBeGreaterThan(10);
    const written = rows.map((row) => `${row.split(" | ").slice(0, 3).join(" | ")} |`);
    // Another nginx knows other types; then only what we answer can be held against the page.
    const isSameNginx = page.includes(nginx.version.replace("nginx version: ", ""));
    const comparable = (row: string) => (isSameNginx ? row : row.split(" | ").toSpliced(1, 1).join(" | "));
    if (isSameNginx) expect(found).toEqual(written);
    else expect(written.map(comparable)).toEqual(expect.arrayContaining(found.map(comparable)));
  });
});
