import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, createPublisher, signInOver } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";

// Behind a proxy nobody is local: who reads the memory and the fleet needs a key, or is signed in.

const HOST = "nightshift.example.com";
const READS = ["/api/fleet", "/learnings", "/handoffs", "/stats"];
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer("node", { env: { PUBLIC_URL: `https://${HOST}` } });
});
afterAll(() => server.stop());

const statuses = async (headers: Record<string, string>) =>
  Promise.all(READS.map(async (path) => (await ask(server.port, { path, host: HOST, headers })).status));

const tokenFor = async (actions: string[], site?: string): Promise<string> => {
  const admin = createPublisher(server.port, server.adminToken);
  const made = await admin.sendJson("/api/tokens", { actions, ...(site === undefined ? {} : { site }) });
  return (made.json() as { token: string }).token;
};

test("the administrator's session and token read the fleet, the memory and its handoffs", async () => {
  const { headers } = await signInOver(server.port, server.adminToken, { host: HOST, scheme: "https" });
  expect(await statuses(headers)).toEqual([200, 200, 200, 200]);
  expect(await statuses({ authorization: `Bearer ${server.adminToken}` })).toEqual([200, 200, 200, 200]);
  expect(await statuses({})).toEqual([401, 401, 401, 401]);
});

test("who may watch workers reads them, too, and writes nothing; a publisher's token does neither", async () => {
  const watch = { authorization: `Bearer ${await tokenFor(["watch"])}`, "content-type": "application/json" };
  expect(await statuses(watch)).toEqual([200, 200, 200, 200]);
  const learn = (headers: Record<string, string>) =>
    ask(server.port, {
      method: "POST",
      path: "/learn",
      host: HOST,
      headers,
      body: JSON.stringify({ trigger: "a", learning: "b", confidence: 0.5 }),
    });
  expect((await learn(watch)).status).toBe(403);
  const upload = { authorization: `Bearer ${await tokenFor(["upload"])}` };
  expect(await statuses(upload)).toEqual([401, 401, 401, 401]);
});

test("a session's change of the memory needs the page's own origin", async () => {
  const { headers } = await signInOver(server.port, server.adminToken, { host: HOST, scheme: "https" });
  const learn = (more: Record<string, string>) =>
    ask(server.port, {
      method: "POST",
      path: "/learn",
      host: HOST,
      headers: { ...headers, "content-type": "application/json", ...more },
      body: JSON.stringify({ trigger: "deploying", learning: "run the migration first", confidence: 0.5 }),
    });
  expect((await learn({})).status).toBe(403);
  expect((await learn({ origin: "https://elsewhere.example" })).status).toBe(403);
  expect((await learn({ origin: `https://${HOST}` })).status).toBe(200);
});

test("a token for one site may neither watch nor steer", async () => {
  const admin = createPublisher(server.port, server.adminToken);
  const answer = await admin.sendJson("/api/tokens", { actions: ["watch"], site: "docs" });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain("a token for one site cannot watch or steer workers");
});
