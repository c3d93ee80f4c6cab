import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type MemoryServer, startMemoryServer } from "./fixtures/start-memory-server.ts";
import { describeEngines } from "./fixtures/engines.ts";

describeEngines((engine) => {
  describe("several keys", () => {
    let server: MemoryServer;
    let ci: { id: string; key: string };
    beforeAll(async () => {
      server = await startMemoryServer(await engine.environment());
      ci = (await server.ask("POST", "/keys", { body: { writer: "ci", scopes: ["ci"] } })).json;
    });
    afterAll(() => server.stop());

    test("each writes under its own name into its own scopes only", async () => {
      const stored = await server.learn({ trigger: "releasing from ci", learning: "tag first" }, ci.key);
      expect(stored).toMatchObject({ writer: "ci", scope: "ci" });
      const elsewhere = await server.ask("POST", "/learn", {
        body: { trigger: "a", learning: "b", scope: "shared" },
        as: ci.key,
      });
      expect(elsewhere.status).toBe(403);
      expect((await server.ask("POST", "/keys", { body: { writer: "x" }, as: ci.key })).status).toBe(403);
    });

    test("none sees, changes or deletes what is in another scope, on any route", async () => {
      const hidden = await server.learn({
        trigger: "rotating the signing certificate",
        learning: "ask the vault",
      });
      const asCi = (method: string, path: string, body?: unknown) =>
        server.ask(method, path, { as: ci.key, ...(body === undefined ? {} : { body }) });
      const context = "rotating the signing certificate";
      expect((await asCi("POST", "/inject", { context, minStrength: 0 })).json.learnings).toEqual([]);
      expect((await asCi("POST", "/query", { context })).json.learnings).toEqual([]);
      expect((await asCi("POST", "/inject/trace", { context })).json.candidates).toEqual([]);
      expect((await asCi("POST", "/query", { context, scopes: ["shared"] })).status).toBe(403);
      expect((await asCi("GET", `/learning/${hidden.id}`)).status).toBe(404);
      expect((await asCi("GET", `/learning/${hidden.id}/neighbors`)).status).toBe(404);
      expect((await asCi("POST", `/learning/${hidden.id}/reject`)).status).toBe(404);
      expect((await asCi("DELETE", `/learning/${hidden.id}`)).status).toBe(404);
      expect((await asCi("GET", "/learnings?scope=shared")).status).toBe(403);
      expect((await asCi("DELETE", "/learnings?type=learning")).json.ids).not.toContain(hidden.id);
      expect((await asCi("GET", "/learnings/export")).text).not.toContain(hidden.id);
      expect(Object.keys((await asCi("GET", "/stats")).json.scopes)).not.toContain("shared");
      expect(
        (await asCi("POST", "/learn", { trigger: "x y", learning: "z", supersedes: hidden.id })).status,
      ).toBe(400);
      await server.ask("PUT", "/state/atlas", { body: { status: "secret plans" } });
      expect((await asCi("GET", "/state/atlas")).status).toBe(403);
      expect((await asCi("PUT", "/state/atlas", {})).status).toBe(403);
      expect((await asCi("GET", "/handoffs")).status).toBe(403);
      expect((await asCi("POST", "/inject", { context: "x", project: "atlas" })).text).not.toContain(
        "secret plans",
      );
      expect((await server.ask("GET", `/learning/${hidden.id}`)).status).toBe(200);
    });

    test("none speaks for the team's workers, and none blames the learnings of another scope", async () => {
      const worker = "/api/fleet/build-1/docs";
      const report = {
        status: "running",
        session: 1,
        dir: "/srv/atlas",
        task: "docs",
        agent: "Claude Code",
        max: 3,
        costUsd: 1,
        tokens: 2,
        startedAt: "2026-11-20T22:00:00.000Z",
        updatedAt: "2026-11-20T22:00:00.000Z",
      };
      expect((await server.ask("PUT", worker, { body: report })).status).toBe(200);
      const forged = { body: { ...report, status: "failed" }, as: ci.key };
      expect((await server.ask("PUT", worker, forged)).status).toBe(403);
      expect((await server.ask("DELETE", worker, { as: ci.key })).status).toBe(403);
      expect((await server.ask("GET", "/api/fleet", { as: ci.key })).status).toBe(403);
      expect((await server.ask("GET", "/api/fleet")).text).toContain('"running"');

      const { id } = await server.learn({
        trigger: "closing the quarter in the ledger",
        learning: "lock the ledger first",
        scope: "finance",
      });
      const { receipt, learnings } = await server.inject({
        context: "closing the quarter in the ledger",
        scopes: ["finance"],
      });
      expect(learnings.map((one) => one.id)).toEqual([id]);
      const blame = { body: { receipt, outcome: "fail" }, as: ci.key };
      expect((await server.ask("POST", "/outcome", blame)).status).toBe(403);
      expect((await server.ask("GET", `/learning/${id}`)).json.harmful).toBe(0);
      expect((await server.ask("POST", "/outcome", { body: { receipt, outcome: "pass" } })).status).toBe(200);
    });

    test("a learning of another project stays out when a project is named", async () => {
      await server.learn({ trigger: "seeding the database", learning: "use make seed", project: "atlas" });
      await server.learn({ trigger: "seeding the database", learning: "use just seed", project: "cobalt" });
      await server.learn({ trigger: "seeding the database again", learning: "drop it first" });
      const { learnings } = await server.inject({ context: "seeding the database", project: "atlas" });
      expect(learnings.map(({ learning }) => learning).sort()).toEqual(["drop it first", "use make seed"]);
    });

    test("undo takes back what one writer did and nothing else", async () => {
      const before = new Date().toISOString();
      const mine = await server.learn({
        trigger: "undo test of main",
        learning: "stays",
        confidence: 0.5,
        scope: "ci",
      });
      const theirs = await server.learn({ trigger: "undo test of ci", learning: "goes" }, ci.key);
      await server.ask("POST", `/learning/${mine.id}/reject`, { as: ci.key });
      const doomed = await server.learn({
        trigger: "undo test deleted",
        learning: "comes back",
        scope: "ci",
      });
      await server.ask("DELETE", `/learning/${doomed.id}`, { as: ci.key });
      expect(
        (await server.ask("POST", "/undo", { body: { since: before, writer: "main" }, as: ci.key })).status,
      ).toBe(403);
      const undone = (await server.ask("POST", "/undo", { body: { since: before, writer: "ci" } })).json;
      expect(undone.removed).toContain(theirs.id);
      expect(undone.restored).toEqual(expect.arrayContaining([mine.id, doomed.id]));
      expect((await server.ask("GET", `/learning/${theirs.id}`)).status).toBe(404);
      expect((await server.ask("GET", `/learning/${mine.id}`)).json.confidence).toBe(0.5);
      const found = (
        await server.ask("POST", "/query", { body: { context: "undo test deleted", scopes: ["ci"] } })
      ).json;
      expect(found.learnings[0]?.id).toBe(doomed.id);
    });

    test("a revoked key is refused at once", async () => {
      expect((await server.ask("GET", "/keys")).json.keys.map(({ writer }) => writer)).toEqual(["ci"]);
      await server.ask("DELETE", `/keys/${ci.id}`);
      expect((await server.ask("GET", "/stats", { as: ci.key })).status).toBe(401);
    });
  });

  test("on a bind that is not loopback reading needs a key, unless reading is public", async () => {
    const closed = await startMemoryServer({ ...(await engine.environment()), HOST: "0.0.0.0" });
    expect((await closed.ask("POST", "/inject", { body: { context: "x" }, as: null })).status).toBe(401);
    expect((await closed.ask("POST", "/inject", { body: { context: "x" } })).status).toBe(200);
    await closed.stop();
    const open = await startMemoryServer({
      ...(await engine.environment()),
      HOST: "0.0.0.0",
      MEMORY_PUBLIC_READ: "true",
    });
    expect((await open.ask("POST", "/inject", { body: { context: "x" }, as: null })).status).toBe(200);
    expect(
      (await open.ask("POST", "/query", { body: { context: "x", scopes: ["private"] }, as: null })).status,
    ).toBe(403);
    expect(
      (await open.ask("POST", "/learn", { body: { trigger: "a", learning: "b" }, as: null })).status,
    ).toBe(401);
    await open.stop();
  });

  test("too many writes and too many wrong keys are told when to come back", async () => {
    const server = await startMemoryServer({
      ...(await engine.environment()),
      MEMORY_WRITES_PER_MINUTE: "2",
    });
    const learn = (at: number) =>
      server.ask("POST", "/learn", { body: { trigger: `note ${at}`, learning: "x" } });
    expect([(await learn(1)).status, (await learn(2)).status]).toEqual([200, 200]);
    const refused = await learn(3);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // All at once: one after another they may take so long that the limit fills up again.
    const wrong = Array.from({ length: 60 }, (_, at) => server.ask("GET", "/stats", { as: `wrong-${at}` }));
    const statuses = (await Promise.all(wrong)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(20);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    // Somebody's wrong keys do not lock out the right one.
    expect((await server.ask("GET", "/stats")).status).toBe(200);
    await server.stop();
  });
});
