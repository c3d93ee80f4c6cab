import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../fixtures/http-client.ts";
import { RUNTIMES, startTestServer, type TestServer } from "../fixtures/test-server.ts";

// What somebody on the server's own machine may read without a key.
const OPEN = [
  "/learnings/export",
  "/stats",
  "/handoffs",
  "/api/fleet",
  "/metrics",
  "/openapi",
  "/openapi.json",
];

describe.each(RUNTIMES)("a stranger behind a proxy on %s", (runtime) => {
  const statuses = (port: number, headers: Record<string, string>, host?: string): Promise<number[]> =>
    Promise.all(
      OPEN.map(
        async (path) => (await ask(port, { path, headers, ...(host === undefined ? {} : { host }) })).status,
      ),
    );
  const all = (status: number) => OPEN.map(() => status);

  describe("of a server that knows of no proxy", () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer(runtime);
    });
    afterAll(() => server.stop());

    test("whoever uses the same machine needs no key", async () => {
      expect(await statuses(server.port, {})).toEqual(all(200));
      expect(await statuses(server.port, {}, `127.0.0.1:${server.port}`)).toEqual(all(200));
      expect(await statuses(server.port, {}, `[::1]:${server.port}`)).toEqual(all(200));
    });

    test.each([
      ["X-Forwarded-For", "203.0.113.9"],
      ["X-Forwarded-Host", "localhost"],
      ["X-Forwarded-Proto", "https"],
      ["Forwarded", "for=203.0.113.9"],
      ["Via", "1.1 proxy"],
      ["X-Real-IP", "127.0.0.1"],
    ])("%s makes a request a stranger's", async (name, value) => {
      expect(await statuses(server.port, { [name]: value })).toEqual(all(401));
    });

    test("so does a name that is not loopback's", async () => {
      expect(await statuses(server.port, {}, "192.0.2.7")).toEqual(all(401));
    });

    test("the admin token opens what describes the server, from anywhere", async () => {
      const headers = { "x-forwarded-for": "203.0.113.9", authorization: `Bearer ${server.adminToken}` };
      for (const path of ["/metrics", "/openapi", "/openapi.json"])
        expect((await ask(server.port, { path, headers })).status).toBe(200);
    });
  });

  test.each([
    ["PUBLIC_URL", "https://nightshift.example"],
    ["ALLOWED_HOSTS", "nightshift.example"],
  ])("%s makes everybody without a key a stranger, whatever the request says", async (name, value) => {
    const server = await startTestServer(runtime, { env: { [name]: value } });
    expect(await statuses(server.port, {})).toEqual(all(401));
    expect(await statuses(server.port, {}, "nightshift.example")).toEqual(all(401));
    await server.stop();
  });
});
