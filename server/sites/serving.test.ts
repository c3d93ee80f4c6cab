import { createHash } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, ask, createPublisher, type Publisher } from "../fixtures/http-client.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { usePostgres } from "../../test/postgres/use-postgres.ts";
import { BACKENDS, startTestServer, type TestServer } from "../fixtures/test-server.ts";

const PAGE = `<!doctype html><title>home</title>${"<p>some text that packs well</p>".repeat(100)}`;
const BIG = Buffer.from(Array.from({ length: 3 * 1024 * 1024 }, (_, index) => (index * 7919) % 251));
const FILES = {
  "index.html": PAGE,
  "about.html": "about",
  "docs/index.html": "docs",
  "docs/guide.html": "guide",
  "both.html": "both page",
  "both/index.html": "both folder",
  "404.html": "<h1>custom 404</h1>",
  "docs/404.html": "<h1>docs 404</h1>",
  "assets/app-B3xk9QzL.js": "export const hashed = 1;",
  "assets/plain.js": "export const plain = 1;",
  "data.json": "{}",
  "blob.bin": Buffer.from("0123456789"),
  "big.bin": BIG,
  "100%.html": "percent",
  "ünï/sp ace.txt": "unicode",
  "unknown.zzz": "?",
  "tool.exe": "MZ",
  ".well-known/security.txt": "Contact: x",
  _headers: "/*\n  X-Everywhere: yes\n/docs/*\n  Cache-Control: max-age=60\n  X-Everywhere: docs\n",
  _redirects: [
    "/old-about /about 301",
    "/blog/:year/:slug /news/:year-:slug.html 302",
    "/gone/* /docs/:splat 308",
    "/find id=:id /item/:id 302",
    "/away https://example.com/x 302",
    "/about.html /docs/ 302!",
    "/soft/* /about.html 200",
    "/teapot /docs/404.html 404",
  ].join("\n"),
};
const SPA = { "index.html": "<div id=app>", "assets/app.js": "1", _redirects: "/* /index.html 200" };

const postgres = usePostgres();

describe.each(BACKENDS)("serving, $name", ({ name, runtime, database }) => {
  const isShared = database === "PostgreSQL";
  const testIt = test.skipIf(isShared && !hasPostgres);
  let server: TestServer;
  let publisher: Publisher;
  let live: string;
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    publisher.visit("web", path, { headers, method });
  const etagOf = (answer: Answer) => String(answer.headers["etag"]);

  beforeAll(async () => {
    if (isShared && !hasPostgres) return;
    const env = isShared ? { DATABASE_URL: await postgres.newDatabase() } : {};
    server = await startTestServer(runtime, { env });
    publisher = createPublisher(server.port, server.adminToken);
    live = await publisher.publish("web", FILES);
    await publisher.publish("spa", SPA);
  });
  afterAll(() => server?.stop());

  testIt.each([
    ["/", 200, PAGE],
    ["/index.html", 200, PAGE],
    ["/about", 200, "about"],
    ["/docs/", 200, "docs"],
    ["/docs/index", 200, "docs"],
    ["/docs/guide", 200, "guide"],
    ["/both", 200, "both page"],
    ["/both/", 200, "both folder"],
    ["/100%25.html", 200, "percent"],
    ["/%C3%BCn%C3%AF/sp%20ace.txt", 200, "unicode"],
    ["/u%CC%88ni%CC%88/sp%20ace.txt", 200, "unicode"],
    ["/.well-known/security.txt", 200, "Contact: x"],
    ["/soft/anything", 200, "about"],
    ["/teapot", 404, "<h1>docs 404</h1>"],
  ])("answers %s with %i", async (path, status, text) => {
    const answer = await get(path, { accept: "text/html" });
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers["x-deployment-id"]).toBe(live);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
  });

  testIt.each([
    ["/docs", 308, "/docs/"],
    ["/docs?a=1&b=2", 308, "/docs/?a=1&b=2"],
    ["/about/", 308, "/about"],
    ["/data.json/", 308, "/data.json"],
    ["/100%25.html/", 308, "/100%25.html"],
    ["/old-about", 301, "/about"],
    ["/old-about/", 301, "/about"],
    ["/blog/2026/hello", 302, "/news/2026-hello.html"],
    ["/gone/a/b", 308, "/docs/a/b"],
    ["/gone//evil.example", 400, undefined],
    ["/find?id=7", 302, "/item/7?id=7"],
    ["/find", 404, undefined],
    ["/away", 302, "https://example.com/x"],
    ["/about.html", 302, "/docs/"],
  ])("moves %s: %i to %s", async (path, status, location) => {
    const answer = await get(path);
    expect([answer.status, answer.headers["location"]]).toEqual([status, location]);
  });

  testIt.each([
    "/%",
    "/%zz",
    "/a%00b",
    "/a%5Cb",
    "/a%2Fb",
    "/..%2f..%2fetc/passwd",
    "/%E0%A4%A",
    "/a//b",
    "/a/%2e%2e%2f",
  ])("refuses the malformed path %s", async (path) => {
    expect((await get(path)).status).toBe(400);
  });

  testIt.each(["/_headers", "/_redirects", "/%5Fheaders", "/.env", "/%252e%252e", "/INDEX.HTML"])(
    "has nothing at %s",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  testIt("answers people with the nearest 404 page and programs with plain text", async () => {
    const page = await get("/docs/nothing/here", { accept: "text/html" });
    expect([page.status, page.text]).toEqual([404, "<h1>docs 404</h1>"]);
    expect((await get("/nothing", { accept: "text/html" })).text).toBe("<h1>custom 404</h1>");
    const script = await get("/assets/gone.js", { accept: "*/*", "sec-fetch-dest": "script" });
    expect([script.status, script.headers["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
  });

  testIt("sends a page of an application for every address of it, and never for a missing part", async () => {
    const visit = (path: string, headers: Record<string, string>) =>
      publisher.visit("spa", path, { headers });
    expect((await visit("/user/7", { accept: "text/html", "sec-fetch-dest": "document" })).text).toBe(
      "<div id=app>",
    );
    expect((await visit("/user/7", { accept: "text/html,*/*" })).text).toBe("<div id=app>");
    for (const [path, headers] of [
      ["/assets/old.js", { accept: "*/*" }],
      ["/assets/old.js", { accept: "text/html" }],
      ["/style.css", { accept: "text/css", "sec-fetch-dest": "style" }],
      ["/api/users", { accept: "application/json" }],
      ["/api/users", { accept: "*/*", "sec-fetch-dest": "empty" }],
    ] as const)
      expect([path, (await visit(path, { ...headers })).status]).toEqual([path, 404]);
  });

  testIt.each([
    ["/", "text/html; charset=utf-8"],
    ["/assets/plain.js", "text/javascript; charset=utf-8"],
    ["/data.json", "application/json"],
    ["/unknown.zzz", "application/octet-stream"],
    ["/tool.exe", "application/octet-stream"],
  ])("sends %s as %s", async (path, type) => {
    expect((await get(path)).headers["content-type"]).toBe(type);
  });

  testIt(
    "lets browsers keep files named by their content for ever, and makes them ask for all others",
    async () => {
      expect((await get("/assets/app-B3xk9QzL.js")).headers["cache-control"]).toBe(
        "public, max-age=31536000, immutable",
      );
      expect((await get("/assets/plain.js")).headers["cache-control"]).toBe(
        "public, max-age=0, must-revalidate",
      );
      expect((await get("/")).headers["cache-control"]).toBe("public, max-age=0, must-revalidate");
    },
  );

  testIt("adds what _headers says, joining what several rules say", async () => {
    const docs = await get("/docs/");
    expect(docs.headers["x-everywhere"]).toBe("yes, docs");
    expect(docs.headers["cache-control"]).toBe("max-age=60");
    expect((await get("/about")).headers["x-everywhere"]).toBe("yes");
  });

  testIt("answers HEAD as GET, without the body", async () => {
    for (const path of ["/", "/blob.bin", "/big.bin", "/nothing", "/docs"]) {
      const [head, full] = [await get(path, {}, "HEAD"), await get(path)];
      expect(head.body).toHaveLength(0);
      expect(head.status).toBe(full.status);
      for (const name of ["content-length", "content-type", "etag", "vary", "location", "cache-control"])
        expect([path, name, head.headers[name]]).toEqual([path, name, full.headers[name]]);
    }
  });

  testIt("answers other methods with 405 and what is allowed", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const answer = await get("/", {}, method);
      expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
    }
    const options = await get("/", {}, "OPTIONS");
    expect([options.status, options.headers["allow"]]).toEqual([204, "GET, HEAD, OPTIONS"]);
  });

  testIt("packs pages once and names each form by its own tag", async () => {
    await expect
      .poll(async () => (await get("/", { "accept-encoding": "gzip" })).headers["content-encoding"], {
        timeout: 20_000,
      })
      .toBe("gzip");
    const [br, gzip, plain] = [
      await get("/", { "accept-encoding": "gzip, deflate, br, zstd" }),
      await get("/", { "accept-encoding": "gzip" }),
      await get("/", { "accept-encoding": "br;q=0, gzip;q=0" }),
    ];
    expect(brotliDecompressSync(br.body).toString()).toBe(PAGE);
    expect(gunzipSync(gzip.body).toString()).toBe(PAGE);
    expect(plain.text).toBe(PAGE);
    expect(new Set([br, gzip, plain].map(etagOf)).size).toBe(3);
    for (const answer of [br, gzip, plain]) expect(answer.headers["vary"]).toBe("Accept-Encoding");
    const cached = await get("/", { "accept-encoding": "br", "if-none-match": etagOf(br) });
    expect([cached.status, cached.headers["etag"], cached.headers["vary"]]).toEqual([
      304,
      etagOf(br),
      "Accept-Encoding",
    ]);
    expect((await get("/", { "accept-encoding": "br", "if-none-match": etagOf(gzip) })).status).toBe(200);
    expect((await get("/blob.bin", { "accept-encoding": "br" })).headers["vary"]).toBeUndefined();
  });

  testIt("follows preconditions by the book", async () => {
    const { headers } = await get("/blob.bin");
    const [etag, modified] = [String(headers["etag"]), String(headers["last-modified"])];
    const long = new Date(Date.parse(modified) - 60_000).toUTCString();
    const cases: [Record<string, string>, number][] = [
      [{ "if-none-match": etag }, 304],
      [{ "if-none-match": `"x", W/${etag}` }, 304],
      [{ "if-none-match": "*" }, 304],
      [{ "if-none-match": `"x"` }, 200],
      [{ "if-none-match": `"x"`, "if-modified-since": modified }, 200],
      [{ "if-modified-since": modified }, 304],
      [{ "if-modified-since": long }, 200],
      [{ "if-modified-since": "not a date" }, 200],
      [{ "if-match": etag }, 200],
      [{ "if-match": `W/${etag}` }, 412],
      [{ "if-match": `"x"` }, 412],
      [{ "if-match": "*" }, 200],
      [{ "if-unmodified-since": long }, 412],
      [{ "if-unmodified-since": modified }, 200],
      [{ "if-match": `"x"`, "if-none-match": etag }, 412],
    ];
    for (const [sent, status] of cases)
      expect([sent, (await get("/blob.bin", sent)).status]).toEqual([sent, status]);
    const unchanged = await get("/blob.bin", { "if-none-match": etag });
    expect(unchanged.body).toHaveLength(0);
    for (const name of ["etag", "cache-control", "date"]) expect(unchanged.headers[name]).toBeDefined();
  });

  testIt("sends parts of a file, and the whole when the part is of another version", async () => {
    const { headers } = await get("/blob.bin");
    const etag = String(headers["etag"]);
    const part = async (range: string, more: Record<string, string> = {}, path = "/blob.bin") => {
      const answer = await get(path, { range, ...more });
      return [answer.status, answer.headers["content-range"], answer.text];
    };
    expect(await part("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"]);
    expect(await part("bytes=7-")).toEqual([206, "bytes 7-9/10", "789"]);
    expect(await part("bytes=-3")).toEqual([206, "bytes 7-9/10", "789"]);
    expect(await part("bytes=0-99")).toEqual([206, "bytes 0-9/10", "0123456789"]);
    expect(await part("bytes=10-")).toEqual([416, "bytes */10", ""]);
    expect(await part("bytes=-0")).toEqual([416, "bytes */10", ""]);
    for (const whole of ["bytes=4-2", "bytes=a-b", "lines=1-2", "bytes=0-1,4-5", "bytes=-"])
      expect(await part(whole)).toEqual([200, undefined, "0123456789"]);
    expect(await part("bytes=2-4", { "if-range": etag })).toEqual([206, "bytes 2-4/10", "234"]);
    expect(await part("bytes=2-4", { "if-range": `W/${etag}` })).toEqual([200, undefined, "0123456789"]);
    expect(await part("bytes=2-4", { "if-range": '"x"' })).toEqual([200, undefined, "0123456789"]);
    const page = await get("/", { range: "bytes=0-8", "accept-encoding": "br" });
    expect([page.status, page.text, page.headers["content-encoding"]]).toEqual([206, "<!doctype", undefined]);
  });

  testIt("streams a large file, whole and in parts, to the byte", async () => {
    const whole = await get("/big.bin");
    expect(createHash("sha256").update(whole.body).digest("hex")).toBe(
      createHash("sha256").update(BIG).digest("hex"),
    );
    expect(whole.headers["content-length"]).toBe(String(BIG.length));
    const part = await get("/big.bin", { range: "bytes=1000000-2999999" });
    expect([part.status, part.body.equals(BIG.subarray(1_000_000, 3_000_000))]).toEqual([206, true]);
  });

  testIt("goes on serving the last deployments' assets to open tabs, but not their pages", async () => {
    const first = await publisher.publish("tabs", {
      "index.html": "1",
      "assets/one.js": "one",
      "old.html": "old",
    });
    await publisher.publish("tabs", { "index.html": "2", "assets/two.js": "two" });
    const visit = (path: string) => publisher.visit("tabs", path);
    const old = await visit("/assets/one.js");
    expect([old.status, old.text, old.headers["x-deployment-id"]]).toEqual([200, "one", first]);
    expect((await visit("/old.html")).status).toBe(404);
    expect((await visit("/old")).status).toBe(404);
  });

  testIt("keeps search engines and caches off previews", async () => {
    const created = await publisher.create("web", { "index.html": PAGE, "late.txt": `late ${name}` });
    const host = new URL(created.previewUrl).host;
    const page = await ask(server.port, { path: "/", host });
    expect(page.headers["x-robots-tag"]).toBe("noindex");
    expect(page.headers["cache-control"]).toBe("private, no-cache");
    expect((await ask(server.port, { path: "/late.txt", host })).status).toBe(404);
    const elsewhere = host.replace("--web", "--spa");
    expect((await ask(server.port, { path: "/", host: elsewhere })).status).toBe(404);
  });

  testIt("keeps sites off the control origin and the API off every site", async () => {
    for (const path of ["/api/sites", "/app", "/health", "/openapi"]) {
      const answer = await publisher.visit("web", path, {
        headers: { authorization: `Bearer ${server.adminToken}` },
      });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await ask(server.port, { path: "/data.json" })).status).toBe(404);
    for (const host of ["a.b.localhost", "web..localhost", "evil.example", "web.localhost.evil.example"])
      expect([host, (await ask(server.port, { path: "/", host })).status]).toEqual([host, 403]);
    for (const host of ["web.localhost:x", "a b", "web.localhost/x", "[zz]"])
      expect([host, (await ask(server.port, { path: "/", host })).status]).toEqual([host, 400]);
    expect((await ask(server.port, { path: "/", host: "WEB.LOCALHOST.:80" })).text).toBe(PAGE);
    expect((await ask(server.port, { path: "/", host: "nowhere.localhost" })).status).toBe(404);
  });
});
