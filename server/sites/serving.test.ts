import { beforeAll, expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { FILES, PAGE, SPA } from "./fixtures/site-files.ts";

describeServers("what is at an address", (lab) => {
  let live: string;
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    lab.admin.visit("web", path, { headers, method });

  beforeAll(async () => {
    live = await lab.admin.publish("web", FILES);
    await lab.admin.publish("spa", SPA);
  });

  test.each([
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

  test.each([
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

  test.each([
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

  test.each(["/_headers", "/_redirects", "/%5Fheaders", "/.env", "/%252e%252e", "/INDEX.HTML"])(
    "has nothing at %s",
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  test("has nothing to say where a browser asks for an icon that the site has not", async () => {
    const icon = await get("/favicon.ico");
    expect([icon.status, icon.text]).toEqual([204, ""]);
    expect((await get("/deep/favicon.ico")).status).toBe(404);
  });

  test("answers people with the nearest 404 page and programs with plain text", async () => {
    const page = await get("/docs/nothing/here", { accept: "text/html" });
    expect([page.status, page.text]).toEqual([404, "<h1>docs 404</h1>"]);
    expect((await get("/nothing", { accept: "text/html" })).text).toBe("<h1>custom 404</h1>");
    const script = await get("/assets/gone.js", { accept: "*/*", "sec-fetch-dest": "script" });
    expect([script.status, script.headers["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
  });

  test("sends a page of an application for every address of it, and never for a missing part", async () => {
    const visit = (path: string, headers: Record<string, string>) =>
      lab.admin.visit("spa", path, { headers });
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

  test.each([
    ["/", "text/html; charset=utf-8"],
    ["/assets/plain.js", "text/javascript; charset=utf-8"],
    ["/data.json", "application/json"],
    ["/unknown.zzz", "application/octet-stream"],
    ["/tool.exe", "application/octet-stream"],
  ])("sends %s as %s", async (path, type) => {
    expect((await get(path)).headers["content-type"]).toBe(type);
  });

  test("adds what _headers says, joining what several rules say", async () => {
    const docs = await get("/docs/");
    expect(docs.headers["x-robots-tag"]).toBe("yes, docs");
    expect(docs.headers["cache-control"]).toBe("max-age=60");
    expect((await get("/about")).headers["x-robots-tag"]).toBe("yes");
  });
});
