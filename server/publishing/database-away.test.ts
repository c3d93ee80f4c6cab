// @module-tag long

import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres } from "../../test/postgres/find-postgres.ts";
import { usePostgres } from "../../test/postgres/use-postgres.ts";
import { eventually } from "../../test/eventually.ts";
import { type Answer, createPublisher, type Publisher, sha256 } from "../fixtures/http-client.ts";
import { startTestServer, type TestServer } from "../fixtures/test-server.ts";

const KILLS = Number(process.env["NIGHTSHIFT_DATABASE_KILLS"] ?? (process.env["CI"] ? 10 : 3));

describe.skipIf(!hasPostgres)("publishing while the database comes and goes", () => {
  const postgres = usePostgres({ fsync: true });
  let server: TestServer;
  let publisher: Publisher;
  beforeAll(async () => {
    server = await startTestServer("node", { env: { DATABASE_URL: await postgres.newDatabase() } });
    publisher = createPublisher(server.port, server.adminToken);
  });
  afterAll(() => server?.stop());

  /** Publishes build `n` and sends each request again, as the server says, until it is taken. */
  const insist = async (n: number, refusals: Answer[]): Promise<void> => {
    const content = `build ${n}`;
    const until = async (send: () => Promise<Answer>): Promise<Answer> => {
      for (;;) {
        const answer = await send();
        if (answer.status < 300) return answer;
        refusals.push(answer);
        await pause(20);
      }
    };
    const manifest = [{ path: "index.html", size: content.length, sha256: sha256(content) }];
    const created = await until(() =>
      publisher.sendJson("/api/sites/away/deployments", { manifest }, { "idempotency-key": content }),
    );
    const { id } = (created.json() as { deployment: { id: string } }).deployment;
    await until(() => publisher.put(id, "index.html", content));
    await until(() => publisher.activate(id));
  };

  test(`killed ${KILLS} times, it refuses with 503 and when to come back, serves on, and loses nothing`, async () => {
    await insist(0, []);
    await publisher.visit("away", "/");
    for (let kill = 1; kill <= KILLS; kill++) {
      const refusals: Answer[] = [];
      const killed = postgres.server().kill();
      const published = insist(kill, refusals);
      await killed;
      expect((await publisher.visit("away", "/")).status).toBe(200);
      const unknown = await publisher.visit(`unknown-${kill}`, "/");
      expect([unknown.status, Number(unknown.headers["retry-after"]) > 0]).toEqual([503, true]);
      await postgres.server().start();
      await published;
      for (const { status, headers } of refusals)
        expect([status, Number(headers["retry-after"]) > 0]).toEqual([503, true]);
      expect((await publisher.visit("away", "/")).text).toBe(`build ${kill}`);
    }
    const { events } = (await publisher.send({ path: "/api/sites/away/events" })).json() as {
      events: { action: string }[];
    };
    for (const action of ["created", "activated"])
      expect(events.filter((event) => event.action === action)).toHaveLength(KILLS + 1);
  });

  test("what an open tab asks of an earlier version is answered again when the database is back", async () => {
    await publisher.publish("tabs", { "index.html": "one", "old.js": "of the first version" });
    await publisher.publish("tabs", { "index.html": "two" });
    expect((await publisher.visit("tabs", "/")).text).toBe("two");
    await postgres.server().kill();
    expect((await publisher.visit("tabs", "/old.js")).status).toBe(503);
    await postgres.server().start();
    await eventually(async () => (await publisher.visit("tabs", "/old.js")).text).toBe(
      "of the first version",
    );
  });

  test("refuses changes while the database is read-only, shows everything, and goes on by itself", async () => {
    await publisher.publish("replica", { "index.html": "shown" });
    await postgres.server().setReadOnly(true);
    const attempt = () =>
      publisher.sendJson("/api/sites/replica/deployments", {
        manifest: [{ path: "index.html", size: 1, sha256: sha256("x") }],
      });
    await eventually(async () => (await attempt()).status).toBe(503);
    const refused = await attempt();
    expect([refused.text, Number(refused.headers["retry-after"]) > 0]).toEqual([
      expect.stringContaining("read-only"),
      true,
    ]);
    expect((await publisher.send({ path: "/api/sites/replica" })).status).toBe(200);
    expect((await publisher.visit("replica", "/")).text).toBe("shown");
    await postgres.server().setReadOnly(false);
    await eventually(async () => (await attempt()).status).toBe(201);
  });
});
