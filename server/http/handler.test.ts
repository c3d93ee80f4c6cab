import { expect, test } from "vitest";
import { AppError } from "../../core/errors.ts";
import { createBaseApp } from "../app.ts";
import { createHandler, type Handler, type SitesHandler } from "./handler.ts";
import { createSilentLog, type Log } from "../../core/log.ts";
import { createMetrics } from "./metrics.ts";

const createTestHandler = (
  options: { ping?: () => Promise<void>; sites?: SitesHandler; stopping?: boolean; log?: Log } = {},
): Handler => {
  const log = options.log ?? createSilentLog();
  const metrics = createMetrics();
  const app = createBaseApp({
    log,
    system: {
      version: "1.2.3",
      metrics,
      ping: options.ping ?? (async () => {}),
      isStopping: () => options.stopping ?? false,
      admit: async () => {},
      uptimeSeconds: () => 1,
    },
  });
  return createHandler({
    app,
    ...(options.sites ? { sites: options.sites } : {}),
    allowedHosts: ["nightshift.example"],
    bodyLimits: [(_method, path) => (path === "/health" ? 10 : undefined)],
    metrics,
    log,
    now: () => 0,
  });
};

const ask = async (handler: Handler, path: string, init: RequestInit = {}) => {
  const headers = new Headers(init.headers);
  if (!headers.has("host")) headers.set("host", "localhost:4747");
  const init2 = { ...init, headers, ...(init.body ? { duplex: "half" } : {}) };
  return handler(new Request(`http://localhost:4747${path}`, init2));
};

test("answers its health, and 503 while it stops", async () => {
  expect(await (await ask(createTestHandler(), "/health")).json()).toEqual({
    status: "ok",
    version: "1.2.3",
    uptimeSeconds: 1,
  });
  expect((await ask(createTestHandler({ stopping: true }), "/health")).status).toBe(503);
});

test("an expected failure is a problem document with its own status, although it has a code", async () => {
  const handler = createTestHandler({
    ping: async () => {
      throw new AppError("unavailable", "the database is gone", {
        faults: [{ path: "/a", message: "is wrong" }],
      });
    },
  });
  const response = await ask(handler, "/health", { headers: { "x-request-id": "abc-1" } });
  expect(response.status).toBe(503);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("x-request-id")).toBe("abc-1");
  expect(await response.json()).toEqual({
    type: "urn:nightshift:problem:unavailable",
    title: "The service is unavailable",
    status: 503,
    detail: "the database is gone",
    error: "the database is gone",
    code: "unavailable",
    errors: [{ path: "/a", message: "is wrong" }],
    requestId: "abc-1",
  });
});

test("what the answer to a stranger keeps back is in the log, under the same request id", async () => {
  const lines: object[] = [];
  const handler = createTestHandler({
    log: { ...createSilentLog(), warn: (fields) => lines.push(fields) },
    ping: async () => {
      throw new AppError("unavailable", "the database nightshift@db.internal/main is away", {
        publicMessage: "the database is unavailable",
      });
    },
  });
  const response = await ask(handler, "/health", { headers: { "x-request-id": "abc-2" } });
  expect(await response.json()).toMatchObject({
    detail: "the database is unavailable",
    error: "the database is unavailable",
  });
  expect(lines).toMatchObject([
    { requestId: "abc-2", status: 503, why: "the database nightshift@db.internal/main is away" },
  ]);
});

test("a bug is shown as an internal error without its text", async () => {
  const handler = createTestHandler({
    ping: async () => {
      throw new TypeError("secret detail");
    },
  });
  const response = await ask(handler, "/health");
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("secret detail");
});

test("an unknown path is 404 and a wrong method 405 with Allow", async () => {
  const handler = createTestHandler();
  expect((await ask(handler, "/nothing")).status).toBe(404);
  const response = await ask(handler, "/health", { method: "POST" });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe("GET");
  expect(await response.json()).toMatchObject({ status: 405, title: "The method is not allowed here" });
});

test.each([
  [{ "sec-fetch-dest": "document" }, true],
  [{ accept: "text/html,application/xhtml+xml,*/*;q=0.8" }, true],
  [{ accept: "*/*" }, false],
  [{ accept: "text/html", "sec-fetch-dest": "empty" }, false],
  [{}, false],
])("who asks with %j for what is not there reads a page: %s", async (headers, isPage) => {
  const response = await ask(createTestHandler(), "/app/nope", { headers });
  expect(response.status).toBe(404);
  expect(response.headers.get("x-request-id")).toBeTruthy();
  expect(response.headers.get("content-type")).toBe(
    isPage ? "text/html; charset=utf-8" : "application/problem+json",
  );
  expect(await response.text()).toContain("There is no /app/nope here");
});

test("what fails on a site, at once or later, is told to the log alone", async () => {
  for (const sites of [
    () => {
      throw new TypeError("secret detail of /home");
    },
    () => Promise.reject(new TypeError("secret detail of /home")),
  ]) {
    const lines: object[] = [];
    const log = { ...createSilentLog(), error: (fields: object) => lines.push(fields) };
    const response = await ask(createTestHandler({ sites, log }), "/");
    expect([response.status, lines.length]).toEqual([500, 1]);
    expect(await response.text()).not.toContain("secret");
  }
});

test.each([
  ["localhost:1", 200],
  ["LOCALHOST", 200],
  ["127.0.0.1:4747", 200],
  ["[::1]:4747", 200],
  ["nightshift.example", 200],
  ["rebound.example", 403],
  ["localhost.rebound.example", 403],
  ["a b", 400],
  ["a/b@c", 400],
  ["", 400],
])("a request for the host %j is answered with %i", async (host, status) => {
  expect((await ask(createTestHandler(), "/health", { headers: { host } })).status).toBe(status);
});

test.each([
  [{ origin: "http://localhost:4747" }, 405],
  [{ origin: "http://localhost:4748" }, 403],
  [{ origin: "null" }, 403],
  [{ origin: "http://localhost:4747", "sec-fetch-site": "cross-site" }, 403],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{}, 405],
])("a change asked for with %j is answered with %i", async (headers, status) => {
  expect((await ask(createTestHandler(), "/health", { method: "POST", headers })).status).toBe(status);
});

test("a body that says it is too large is refused although none of it has come", async () => {
  const response = await ask(createTestHandler(), "/health", {
    method: "POST",
    body: new ReadableStream({ pull: () => new Promise(() => {}) }),
    headers: { "content-length": "11" },
  });
  expect(response.status).toBe(413);
});

test("a site's host name is answered by the sites, and by nothing else", async () => {
  const handler = createTestHandler({
    sites: (_request, hostname) => (hostname === "docs.localhost" ? new Response("site") : undefined),
  });
  expect(await (await ask(handler, "/health", { headers: { host: "docs.localhost:4747" } })).text()).toBe(
    "site",
  );
  expect((await ask(handler, "/health")).status).toBe(200);
});

test("describes every route as JSON and as a page without scripts", async () => {
  const handler = createTestHandler();
  const document = (await (await ask(handler, "/openapi.json")).json()) as { paths: Record<string, object> };
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(["/health", "/metrics"]));
  const page = await ask(handler, "/openapi");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await page.text()).toContain("<code>/health</code>");
});

test("no browser and no proxy keeps what the API answered, whoever asked and however it ended", async () => {
  const handler = createTestHandler();
  for (const path of ["/health", "/gone", "/openapi", "/openapi.json", "/metrics"])
    for (const accept of ["application/json", "text/html"]) {
      const { headers } = await ask(handler, path, { headers: { accept } });
      expect([path, accept, headers.get("cache-control")]).toEqual([path, accept, "no-store"]);
    }
});

test("counts what it answered", async () => {
  const handler = createTestHandler();
  await ask(handler, "/health");
  await ask(handler, "/gone");
  const text = await (await ask(handler, "/metrics")).text();
  expect(text).toContain('nightshift_http_requests_total{method="GET",route="/health",status="200"} 1');
  expect(text).toContain('nightshift_http_requests_total{method="GET",route="none",status="404"} 1');
  expect(text).toContain('nightshift_http_request_seconds_bucket{route="/health",le="+Inf"} 1');
});
