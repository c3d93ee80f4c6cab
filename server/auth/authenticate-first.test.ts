import { afterAll, beforeAll, expect, test } from "vitest";
import { type MemoryServer, startMemoryServer } from "../memory/fixtures/start-memory-server.ts";

type Operation = { security?: unknown[] };

let server: MemoryServer;
beforeAll(async () => {
  server = await startMemoryServer();
});
afterAll(() => server.stop());

const NONSENSE = "{not json";
const send = (method: string, path: string, as: string | null, body: string | undefined = NONSENSE) =>
  server.ask(method, path, {
    as,
    ...(method === "GET" || method === "DELETE" ? {} : { body }),
  });

test("a stranger is refused on every guarded route, whatever the input, and learns nothing of it", async () => {
  const { json } = await server.ask("GET", "/openapi.json", { as: null });
  const { paths } = json as unknown as { paths: Record<string, Record<string, Operation>> };
  const guarded = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security }]) => security !== undefined)
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replace(/\{[^}]+\}/g, "-") })),
  );
  expect(guarded.length).toBeGreaterThan(30);
  for (const { method, path } of guarded)
    for (const query of ["", "?limit=x&purge=x&sha256=x&confidence_lt=x"])
      for (const body of [NONSENSE, "[]", undefined]) {
        const answer = await send(method, path + query, null, body);
        expect(`${method} ${path}${query} ${answer.status}`).toBe(`${method} ${path}${query} 401`);
        expect(answer.json.errors).toEqual([]);
      }
});

test.each([
  ["POST", "/inject"],
  ["POST", "/learn"],
  ["GET", "/learnings?limit=x"],
  ["PATCH", "/state/atlas"],
  ["PUT", "/api/fleet/-/-"],
  ["POST", "/api/tokens"],
  ["POST", "/api/sites/docs/deployments"],
])("a wrong key is told before a wrong input is: %s %s", async (method, path) => {
  const answer = await send(method, path, "nsm_wrong");
  expect(answer.status).toBe(401);
  expect(answer.json.errors).toEqual([]);
});

test.each([["/learn"], ["/api/tokens"]])(
  "wrong keys with wrong inputs to %s are limited like any others",
  async (path) => {
    let status = 0;
    for (let tries = 0; tries < 30 && status !== 429; tries++)
      status = (await send("POST", path, "nsm_wrong")).status;
    expect(status).toBe(429);
    expect((await server.ask("POST", "/learn", { body: { trigger: "a b", learning: "c" } })).status).toBe(
      200,
    );
  },
);

test("a wrong key of an MCP call is told before its wrong arguments are", async () => {
  const { json } = await server.ask("POST", "/mcp", {
    as: null,
    headers: { accept: "application/json, text/event-stream" },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "learn", arguments: { trigger: 1 } },
    },
  });
  expect(JSON.stringify(json)).toContain("API key required");
  expect(JSON.stringify(json)).not.toContain("/trigger");
});

test("a request that was refused is counted for its route", async () => {
  await send("POST", "/undo", null);
  const { text } = await server.ask("GET", "/metrics");
  expect(text).toMatch(/http_requests_total\{method="POST",route="\/undo",status="401"\}/);
});
