import { expect, test } from "vitest";
import { describeServers } from "../fixtures/describe-servers.ts";
import { ask } from "../fixtures/http-client.ts";

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

describeServers("a stranger behind a proxy", (lab) => {
  const statuses = (
    headers: Record<string, string>,
    host?: string,
    port = lab.server.port,
  ): Promise<number[]> =>
    Promise.all(
      OPEN.map(
        async (path) => (await ask(port, { path, headers, ...(host === undefined ? {} : { host }) })).status,
      ),
    );
  const all = (status: number) => OPEN.map(() => status);

  test("without a proxy whoever uses the same machine needs no key", async () => {
    expect(await statuses({})).toEqual(all(200));
    expect(await statuses({}, `127.0.0.1:${lab.server.port}`)).toEqual(all(200));
    expect(await statuses({}, `[::1]:${lab.server.port}`)).toEqual(all(200));
  });

  test.each([
    ["X-Forwarded-For", "203.0.113.9"],
    ["X-Forwarded-Host", "localhost"],
    ["X-Forwarded-Proto", "https"],
    ["Forwarded", "for=203.0.113.9"],
    ["Via", "1.1 proxy"],
    ["X-Real-IP", "127.0.0.1"],
  ])("%s makes a request a stranger's", async (name, value) => {
    expect(await statuses({ [name]: value })).toEqual(all(401));
  });

  test("so does a name that is not loopback's", async () => {
    expect(await statuses({}, "192.0.2.7")).toEqual(all(401));
  });

  test("the admin token opens what describes the server, from anywhere", async () => {
    const headers = { "x-forwarded-for": "203.0.113.9", authorization: `Bearer ${lab.server.adminToken}` };
    for (const path of ["/metrics", "/openapi", "/openapi.json"])
      expect((await ask(lab.server.port, { path, headers })).status).toBe(200);
  });

  test.each([
    ["PUBLIC_URL", "https://nightshift.example"],
    ["ALLOWED_HOSTS", "nightshift.example"],
  ])("%s makes everybody without a key a stranger, whatever the request says", async (name, value) => {
    const { port } = await lab.start({ [name]: value });
    expect(await statuses({}, undefined, port)).toEqual(all(401));
    expect(await statuses({}, "nightshift.example", port)).toEqual(all(401));
  });
});
