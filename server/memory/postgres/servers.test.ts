import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasPostgres } from "../../../test/postgres/find-postgres.ts";
import { startPostgres, type TestPostgres } from "../../../test/postgres/start-postgres.ts";
import { type MemoryServer, startMemoryServer } from "../fixtures/start-memory-server.ts";

describe.skipIf(!hasPostgres)("two servers with one DATABASE_URL", () => {
  let postgres: TestPostgres;
  let one: MemoryServer;
  let two: MemoryServer;
  beforeAll(async () => {
    postgres = await startPostgres();
    const env = { DATABASE_URL: await postgres.createDatabase() };
    [one, two] = await Promise.all([startMemoryServer(env), startMemoryServer(env)]);
  });
  afterAll(async () => {
    await one.stop();
    await two.stop();
    await postgres.stop();
  });

  test("what one is told the other gives, credits, changes and forgets", async () => {
    const context = "deploying the kiosk";
    const { id } = await one.learn({ trigger: context, learning: "flash the firmware first" });
    const { learnings, receipt } = await two.inject({ context });
    expect(learnings.map((learning) => learning.id)).toEqual([id]);
    const outcome = { body: { receipt, outcome: "pass" } };
    expect((await one.ask("POST", "/outcome", outcome)).json).toMatchObject({
      credited: [id],
      changed: true,
    });
    expect((await two.ask("POST", "/outcome", outcome)).json).toMatchObject({ changed: false });
    expect((await one.ask("GET", `/learning/${id}`)).json).toMatchObject({ helpful: 1, confidence: 1 });
    await two.ask("POST", `/learning/${id}/reject`);
    expect((await one.inject({ context })).learnings[0]?.confidence).toBeLessThan(1);
    expect((await two.ask("DELETE", `/learning/${id}`)).status).toBe(200);
    expect((await one.inject({ context })).learnings).toEqual([]);
    const { restored } = (await one.ask("POST", "/undo", { body: { writer: "main", since: "2020-01-01" } }))
      .json;
    expect(restored).toEqual([]);
  });

  test("a key that one made is good for the other, until it is revoked at either", async () => {
    const { key, id } = (await one.ask("POST", "/keys", { body: { writer: "ci", scopes: ["ci"] } })).json;
    expect((await two.learn({ trigger: "releasing", learning: "tag first" }, key)).writer).toBe("ci");
    expect((await two.ask("DELETE", `/keys/${id}`)).status).toBe(200);
    for (const server of [one, two])
      expect((await server.ask("GET", "/learnings", { as: key })).status).toBe(401);
  });

  test("the ETag of a state that one gave guards its change at the other", async () => {
    const put = (server: MemoryServer, status: string, headers: Record<string, string>) =>
      server.ask("PUT", "/state/acme", { body: { status }, headers });
    const etag = (await put(one, "planned", { "if-none-match": "*" })).headers.get("etag") ?? "";
    expect((await put(two, "begun", { "if-match": etag })).status).toBe(200);
    expect((await put(one, "stale", { "if-match": etag })).status).toBe(412);
    expect((await one.ask("GET", "/state/acme")).json.status).toBe("begun");
  });

  test("a retried request is the same request wherever it arrives", async () => {
    const ask = (server: MemoryServer) =>
      server.ask("POST", "/learn", {
        body: { trigger: "rotating the logs", learning: "keep a week" },
        headers: { "idempotency-key": "once" },
      });
    const [first, second] = [(await ask(one)).json, (await ask(two)).json];
    expect([first.status, second.status]).toEqual(["stored", "replayed"]);
    expect(second.id).toBe(first.id);
  });
});
