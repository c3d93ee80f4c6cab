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

test("the icons for a phone are PNG of the size that the manifest says, and small", async () => {
  const { icons } = (await ask(server.port, { path: "/app/manifest.webmanifest" })).json() as {
    icons: { src: string; type: string; sizes: string }[];
  };
  const pictures = icons.filter(({ type }) => type === "image/png");
  expect(pictures.map(({ sizes }) => sizes)).toEqual(["192x192", "512x512", "512x512"]);
  const page = (await ask(server.port, { path: "/app" })).text;
  const apple = /<link rel="apple-touch-icon" href="([^"]+)">/.exec(page)?.[1] ?? "";
  for (const { src, sizes } of [...pictures, { src: apple, sizes: "180x180" }]) {
    const { headers, body } = await ask(server.port, { path: src });
    expect(headers["content-type"]).toBe("image/png");
    // Width and height are the first words of a PNG's header.
    expect(`${body.readUInt32BE(16)}x${body.readUInt32BE(20)}`).toBe(sizes);
    expect(body.length).toBeLessThan(16 * 1024);
  }
});
