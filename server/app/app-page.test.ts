import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer("node");
});
afterAll(() => server.stop());

test("the page and its files fit their budget, come from here alone, and allow nothing inline", async () => {
  const page = await ask(server.port, { path: "/app" });
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:/);
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toMatch(/^default-src 'none'/);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(policy).toContain("frame-ancestors 'none'");
  const script = await ask(server.port, { path: "/app/app.js", headers: { "accept-encoding": "gzip" } });
  expect(script.headers["content-encoding"]).toBe("gzip");
  expect(gzipSync(gunzipSync(script.body), { level: 9 }).length).toBeLessThan(40 * 1024);
  const again = await ask(server.port, {
    path: "/app/app.js",
    headers: { "accept-encoding": "gzip", "if-none-match": String(script.headers["etag"]) },
  });
  expect(again.status).toBe(304);
});
