import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { injectWebMcpBootstrap } from "./inject-bootstrap.ts";

const SCRIPT = '<script type="module" src="/x.js"></script>';
const html = (text: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Response =>
  new Response(text, { headers: { "content-type": "text/html; charset=utf-8", ...headers } });

const inject = async (text: string): Promise<string> =>
  (await injectWebMcpBootstrap(html(text), "/x.js")).text();

test.each([
  [
    "<!doctype html><html><head><title>t</title></head>",
    "<!doctype html><html><head>|<title>t</title></head>",
  ],
  ["<!doctype html><p>hello", "<!doctype html>|<p>hello"],
  ["<p>hello", "|<p>hello"],
  ["", "|"],
  [
    "\uFEFF<!-- <head> --><html lang='a>b'>\n<HEAD data-x=\">\">x",
    "\uFEFF<!-- <head> --><html lang='a>b'>\n<HEAD data-x=\">\">|x",
  ],
  ["<html><body><head></body>", "<html>|<body><head></body>"],
  ["<!--><head><!-- --><head>", "<!--><head>|<!-- --><head>"],
  ["<header><head>", "|<header><head>"],
  ["<head><meta charset=utf-8>é", "<head>|<meta charset=utf-8>é"],
])("puts the script first into the head of %j", async (text, marked) => {
  expect(await inject(text)).toBe(marked.replace("|", SCRIPT).replace(/^\uFEFF/, ""));
});

test("leaves bytes of other encodings as they are", async () => {
  const latin1 = Uint8Array.from(Buffer.from("<head><p>caf\u00E9", "latin1"));
  const response = await injectWebMcpBootstrap(
    html(latin1, { "content-type": "text/html; charset=iso-8859-1" }),
    "/x.js",
  );
  expect(Buffer.from(await response.arrayBuffer()).toString("latin1")).toBe(`<head>${SCRIPT}<p>caf\u00E9`);
});

test("keeps status and headers, and drops what no longer holds", async () => {
  const page = new Response("<p>", {
    status: 404,
    headers: { "content-type": "text/html", "content-length": "3", etag: '"a"', "x-mine": "1" },
  });
  const response = await injectWebMcpBootstrap(page, "/x.js");
  expect(response.status).toBe(404);
  expect([...response.headers.keys()].sort()).toEqual(["content-type", "x-mine"]);
});

test("returns what is not HTML, or has no body, as it came", async () => {
  const json = Response.json({});
  expect(await injectWebMcpBootstrap(json, "/x.js")).toBe(json);
  const empty = new Response(null, { status: 304, headers: { "content-type": "text/html" } });
  expect(await injectWebMcpBootstrap(empty, "/x.js")).toBe(empty);
});

test("unpacks a page that the application had packed", async () => {
  const packed = html(new Uint8Array(gzipSync("<head>hi")), { "content-encoding": "gzip" });
  const response = await injectWebMcpBootstrap(packed, "/x.js");
  expect(response.headers.has("content-encoding")).toBe(false);
  expect(await response.text()).toBe(`<head>${SCRIPT}hi`);
});

test("repeats the nonce of the page's policy", async () => {
  const policy = "default-src 'self'; script-src 'nonce-abc123==' 'strict-dynamic'";
  const page = await injectWebMcpBootstrap(html("<head>", { "content-security-policy": policy }), "/x.js");
  expect(await page.text()).toContain('src="/x.js" nonce="abc123=="></script>');
});

test("the path cannot leave its attribute", async () => {
  const page = await injectWebMcpBootstrap(html("<head>"), '/x.js"><script>alert(1)</script>');
  expect(await page.text()).toBe(
    '<head><script type="module" src="/x.js&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"></script>',
  );
});

test("any text keeps all its bytes around exactly one script", async () => {
  const parts = fc.constantFrom(
    "<",
    ">",
    "html",
    "head",
    "!--",
    "--",
    "'",
    '"',
    "=",
    " ",
    "/",
    "!doctype",
    "é",
    "<head",
    "<html ",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 14 }), async (words) => {
      const text = words.join("");
      const grown = await inject(text);
      expect(grown.replace(SCRIPT, "")).toBe(text);
      expect(grown.length).toBe(text.length + SCRIPT.length);
    }),
    { numRuns: 2000 },
  );
});
