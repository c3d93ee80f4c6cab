import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { usePostgres } from "../../test/postgres/use-postgres.ts";
import {
  type Answer,
  ask,
  createPublisher,
  type Files,
  manifestOf,
  type Publisher,
  signInOver,
} from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";

const ROUNDS = Number(process.env["NIGHTSHIFT_RACES"] ?? (process.env["CI"] ? 50 : 20));

describe.skipIf(!hasPostgres)("two servers on one PostgreSQL", () => {
  const postgres = usePostgres();
  let url = "";
  const servers: TestServer[] = [];
  const publishers: Publisher[] = [];

  beforeAll(async () => {
    url = await postgres.newDatabase();
    // One on each runtime, and the second with the first one's token file, as an operator copies it.
    const first = await startTestServer("node", { env: { DATABASE_URL: url } });
    const home = mkdtempSync(join(tmpdir(), "nightshift-second-"));
    writeFileSync(join(home, "admin-token"), first.adminToken);
    servers.push(first, await startTestServer("bun", { env: { DATABASE_URL: url }, home }));
    for (const { port } of servers) publishers.push(createPublisher(port, first.adminToken));
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
  });

  const everywhere = <T>(ask: (publisher: Publisher, index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(publishers.map(ask));
  const [a, b] = [() => publishers[0] as Publisher, () => publishers[1] as Publisher];
  const idOf = (answer: Answer): string => (answer.json() as { deployment: { id: string } }).deployment.id;
  const createKeyed = (publisher: Publisher, files: Files, key: string) =>
    publisher.sendJson(
      "/api/sites/raced/deployments",
      { manifest: manifestOf(files) },
      { "idempotency-key": key },
    );

  test(`in ${ROUNDS} rounds one request of each key creates, one upload stores, one activation wins`, async () => {
    let live = await a().publish("raced", { "index.html": "round 0" });
    for (let round = 1; round <= ROUNDS; round++) {
      const files = [`round ${round} a`, `round ${round} b`].map((text) => ({
        "index.html": text,
        "shared.txt": `shared ${round}`,
      }));
      const ids: string[] = [];
      for (const [index, each] of files.entries()) {
        const created = await everywhere((publisher) => createKeyed(publisher, each, `${round} ${index}`));
        expect(created.map(({ status }) => status)).toEqual([201, 201]);
        expect(new Set(created.map(idOf)).size).toBe(1);
        ids.push(created.map(idOf)[0] ?? "");
      }
      // Everybody sends everything, the same bytes to both servers at the same moment.
      const sent = await Promise.all(
        ids.flatMap((id, index) =>
          Object.entries(files[index] ?? {}).flatMap(([path, content]) =>
            publishers.map((publisher) => publisher.put(id, path, content)),
          ),
        ),
      );
      expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200));
      const raced = await everywhere((publisher, index) =>
        publisher.activate(ids[index] ?? "", { "if-match": `"${live}"` }),
      );
      expect(raced.map(({ status }) => status).sort((x, y) => x - y)).toEqual([200, 412]);
      const winner = raced.findIndex(({ status }) => status === 200);
      live = ids[winner] ?? "";
      // The server that answered serves it from now on; the others follow.
      expect((await publishers[winner]?.visit("raced", "/"))?.text).toBe(files[winner]?.["index.html"]);
    }
    await eventually(async () =>
      (await everywhere((publisher) => publisher.visit("raced", "/"))).map(
        ({ headers }) => headers["x-deployment-id"],
      ),
    ).toEqual([live, live]);
    const events = (await a().send({ path: "/api/sites/raced/events" })).json() as {
      events: { action: string }[];
    };
    expect(events.events.filter(({ action }) => action === "activated").length).toBeGreaterThan(0);
    const [rows] = await postgres
      .server()
      .query(
        url,
        "SELECT count(*)::int AS activations, (SELECT version::int FROM sites WHERE name = 'raced') AS version FROM publish_events WHERE action = 'activated' AND site = 'raced'",
      );
    expect(rows).toEqual({ activations: ROUNDS + 1, version: ROUNDS + 1 });
  });

  test("a page replaced through one server is replaced on the other, also when the message was lost", async () => {
    await a().publish("spread", { "index.html": "one" });
    expect((await b().visit("spread", "/")).text).toBe("one");
    await a().publish("spread", { "index.html": "two" });
    await eventually(async () => (await b().visit("spread", "/")).text).toBe("two");
    // Cuts the sessions that hear messages (and idle ones that look like them); nobody tells the other server
    // of what happens at this moment.
    const deaf =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')";
    expect((await postgres.server().query(url, deaf)).length).toBeGreaterThan(1);
    const publishing = () =>
      a()
        .publish("spread", { "index.html": "three" })
        .then(() => "published", String);
    await eventually(publishing).toBe("published");
    await eventually(async () => (await b().visit("spread", "/")).text).toBe("three");
    expect((await a().send({ method: "DELETE", path: "/api/sites/spread" })).status).toBe(200);
    await eventually(async () => (await b().visit("spread", "/")).status).toBe(404);
  });

  test("a site that is asked for before it exists appears on every server", async () => {
    expect((await b().visit("later", "/")).status).toBe(404);
    await a().publish("later", { "index.html": "here" });
    await eventually(async () => (await b().visit("later", "/")).text).toBe("here");
  });

  test("a preview that was deleted through one server is gone on the other", async () => {
    const created = await a().create("previewed", { "index.html": "waiting" });
    await a().upload(created, { "index.html": "waiting" });
    const host = `${created.deployment.id}--previewed.localhost`;
    const visit = () => b().send({ path: "/", host });
    expect((await visit()).text).toBe("waiting");
    await a().send({ method: "DELETE", path: `/api/deployments/${created.deployment.id}` });
    await eventually(async () => (await visit()).status).toBe(404);
  });

  const signIn = () => signInOver(servers[0]?.port ?? 0, servers[0]?.adminToken ?? "");

  test("a change held by one server is decided on either, and sent once", async () => {
    const { headers } = await signIn();
    for (let round = 0; round < 5; round++) {
      const created = await a().create("approved", { "index.html": `round ${round}` });
      const held = await ask(servers[0]?.port ?? 0, {
        method: "POST",
        path: "/__companion/call/removeDeployment",
        headers: { ...headers, origin: originOf(0), "content-type": "application/json" },
        body: JSON.stringify({ id: created.deployment.id }),
      });
      expect([held.status, held.text]).toEqual([202, expect.stringContaining("approval")]);
      const { approval, digest } = held.json() as { approval: string; digest: string };
      const decide = (index: number) =>
        ask(servers[index]?.port ?? 0, {
          method: "POST",
          path: `/__companion/approvals/${approval}`,
          headers: {
            ...headers,
            origin: originOf(index),
            "content-type": "application/x-www-form-urlencoded",
          },
          body: new URLSearchParams({ decision: "approve", digest }).toString(),
        });
      const statuses = (await Promise.all([decide(0), decide(1), decide(0), decide(1)])).map(
        ({ status }) => status,
      );
      expect(statuses.sort((x, y) => x - y)).toEqual([303, 409, 409, 409]);
      const outcome = await ask(servers[1]?.port ?? 0, {
        path: `/__companion/approvals/${approval}/outcome`,
        headers,
      });
      expect([outcome.status, outcome.json()]).toEqual([200, { ok: true, id: created.deployment.id }]);
    }
  });

  test("a receipt of one server is credited by the other", async () => {
    const key = servers.map(({ home }) => readFileSync(join(home, "memory-key"), "utf8").trim());
    const post = (index: number, path: string, body: unknown) =>
      ask(servers[index]?.port ?? 0, {
        method: "POST",
        path,
        headers: { authorization: `Bearer ${key[index]}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const trigger = "the gateway answers with flaky timeouts";
    await post(0, "/learn", { trigger, learning: "retry with backoff", confidence: 0.9 });
    const given = await post(0, "/inject", { context: trigger, format: "structured", limit: 5 });
    const { receipt } = given.json() as { receipt: string };
    expect((await post(1, "/outcome", { receipt, outcome: "pass" })).status).toBe(200);
    // The last letter of a signature holds two bits only: the first one is forged.
    const forged = receipt.replace(/~(.)/, (_, first) => (first === "A" ? "~B" : "~A"));
    expect((await post(0, "/outcome", { receipt: forged, outcome: "pass" })).status).toBe(400);
  });

  test("a session made by one server is good on the other, and ends on both", async () => {
    const { headers } = await signIn();
    const list = async () =>
      Promise.all(servers.map(async ({ port }) => (await ask(port, { path: "/api/sites", headers })).status));
    expect(await list()).toEqual([200, 200]);
    await ask(servers[1]?.port ?? 0, {
      method: "DELETE",
      path: "/api/session",
      headers: { ...headers, origin: originOf(1) },
    });
    expect(await list()).toEqual([401, 401]);
  });

  test("wrong tokens are counted together", async () => {
    const wrong = servers.map(({ port }) => createPublisher(port, `nightshift_${"x".repeat(43)}00000000`));
    const answers: number[] = [];
    for (let n = 0; n < 12; n++)
      for (const each of wrong) answers.push((await each.send({ path: "/api/sites" })).status);
    expect(answers.slice(0, 10)).toEqual(answers.slice(0, 10).map(() => 401));
    expect(answers.slice(-2)).toEqual([429, 429]);
  });

  test("says who backs the database up in place of a copy of it", async () => {
    const answer = await a().send({ path: "/api/backup" });
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining("pg_dump")]);
    expect(answer.text).not.toContain(new URL(url).password);
  });

  const originOf = (index: number): string => `http://localhost:${servers[index]?.port}`;
});
