import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeEngines } from "./fixtures/engines.ts";
import { startMemoryServer } from "./fixtures/start-memory-server.ts";
import { useEmptiedServer } from "./fixtures/use-emptied-server.ts";

const learnDeploy = {
  trigger: "deploying the billing api",
  learning: "run the migration job before the rollout",
};

describeEngines((engine) => {
  const memory = useEmptiedServer(engine);

  describe("the predecessor's round trip", () => {
    test("a learning is injected by its own trigger, listed, read, deleted, and gone", async () => {
      const trigger = `gate-test-trigger-${Date.now()}`;
      const learning = `marker ${trigger} is remembered`;
      const stored = await memory.server.learn({ trigger, learning, confidence: 0.1 });
      expect(stored).toMatchObject({ status: "stored", trigger, learning, confidence: 0.1, scope: "shared" });

      const injected = await memory.server.inject({ context: trigger, format: "prompt", limit: 5 });
      expect(injected.learnings.map((one) => one.learning)).toContain(learning);
      expect(injected.injection).toContain(`- ${trigger}: ${learning}`);
      expect(injected.injection).toBe(injected.prompt);

      const page = (await memory.server.ask("GET", "/learnings?limit=1")).json;
      expect(page).toMatchObject({ total: 1, limit: 1, offset: 0 });
      expect(page.learnings[0]).toMatchObject({ id: stored.id, created_at: stored.createdAt });
      expect((await memory.server.ask("GET", "/learnings?shape=array")).json).toHaveLength(1);
      expect((await memory.server.ask("GET", `/learning/${stored.id}`)).json.learning).toBe(learning);
      expect((await memory.server.ask("GET", "/stats")).json).toMatchObject({
        total_learnings: 1,
        totalLearnings: 1,
        avg_confidence: 0.1,
      });

      expect((await memory.server.ask("DELETE", `/learning/${stored.id}`)).json).toEqual({
        status: "deleted",
        success: true,
        id: stored.id,
      });
      expect((await memory.server.ask("DELETE", `/learning/${stored.id}`)).status).toBe(404);
      expect((await memory.server.inject({ context: trigger })).learnings).toEqual([]);
    });

    test("both older shapes of questions and answers are understood", async () => {
      await memory.server.learn(learnDeploy);
      const structured = await memory.server.inject({ context: "deploying the billing api" });
      expect(structured.injection).toEqual([expect.objectContaining({ ...learnDeploy, confidence: 1 })]);
      const second = await memory.server.inject({
        text: "deploying the billing api",
        format: "learnings",
        scopes: ["shared"],
      });
      expect(second.prompt).toContain(learnDeploy.learning);
      const query = (
        await memory.server.ask("POST", "/query", { body: { text: "billing rollout" }, as: null })
      ).json;
      expect(query.learnings[0]).toMatchObject({ ...learnDeploy, score: expect.any(Number) });
      expect(query.hits).toEqual({ shared: 1 });
    });
  });

  test("the key file is made once with mode 600, and writing needs its key", async () => {
    expect(statSync(memory.server.keyFile).mode & 0o777).toBe(0o600);
    expect(memory.server.key).toMatch(/^nsm_[\w-]{43}$/);
    const without = await memory.server.ask("POST", "/learn", { body: learnDeploy, as: null });
    expect(without.status).toBe(401);
    expect(without.headers.get("www-authenticate")).toContain("Bearer");
    expect(
      (await memory.server.ask("POST", "/learn", { body: learnDeploy, as: "wrong-key-wrong-key" })).status,
    ).toBe(401);
    expect(
      (await memory.server.ask("POST", "/inject", { body: { context: "x" }, as: "wrong-key-wrong-key" }))
        .status,
    ).toBe(401);
  });

  test("every fault of a request is told in one answer", async () => {
    const { status, json } = await memory.server.ask("POST", "/learn", {
      body: { trigger: "", confidence: 7, ttl: 0 },
    });
    expect(status).toBe(400);
    expect(json.code).toBe("bad-data");
    expect(json.errors.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/body/trigger", "/body/learning", "/body/confidence", "/body/ttl"]),
    );
    expect(
      (await memory.server.ask("POST", "/learn", { body: { trigger: "\u200b", learning: "x" } })).json
        .errors[0]?.path,
    ).toBe("/body/trigger");
    expect((await memory.server.ask("POST", "/inject", { body: {} })).status).toBe(400);
    expect((await memory.server.ask("POST", "/inject", { body: "{" })).status).toBe(400);
    expect((await memory.server.ask("DELETE", "/learnings")).status).toBe(400);
  });

  test("the same text merges, a text that differs in a digit does not", async () => {
    const first = await memory.server.learn({ ...learnDeploy, confidence: 0.4 });
    const again = await memory.server.learn({
      trigger: "Deploying  the billing API.",
      learning: learnDeploy.learning,
      confidence: 0.9,
    });
    expect(again).toMatchObject({ id: first.id, status: "merged", confidence: 0.9, writers: 1 });
    const one = await memory.server.learn({ trigger: "port of service A", learning: "it listens on 8081" });
    const two = await memory.server.learn({ trigger: "port of service A", learning: "it listens on 8082" });
    expect(two).toMatchObject({ status: "stored", contradicts: [] });
    expect(two.id).not.toBe(one.id);
    const ports = await memory.server.inject({ context: "port of service A" });
    expect(ports.learnings.map((each) => each.learning).sort()).toEqual([
      "it listens on 8081",
      "it listens on 8082",
    ]);
  });

  test("an outcome credits what was injected, once, and its opposite replaces it", async () => {
    const good = await memory.server.learn(learnDeploy);
    const { receipt } = await memory.server.inject({ context: "deploying the billing api" });
    const outcome = (body: object) => memory.server.ask("POST", "/outcome", { body });
    expect((await outcome({ receipt, outcome: "pass" })).json).toMatchObject({
      credited: [good.id],
      changed: true,
    });
    expect((await outcome({ receipt, outcome: "pass" })).json).toMatchObject({ changed: false });
    const read = async () => (await memory.server.ask("GET", `/learning/${good.id}`)).json;
    expect(await read()).toMatchObject({ helpful: 1, harmful: 0 });
    await outcome({ injection_id: receipt, outcome: "fail" });
    expect(await read()).toMatchObject({ helpful: 0, harmful: 1 });
    expect((await outcome({ receipt: `${receipt}x`, outcome: "pass" })).status).toBe(400);
    expect((await outcome({ receipt: receipt.replace(".", ".1"), outcome: "pass" })).status).toBe(400);
  });

  test("confirm, reject and verify move a learning; reading does not", async () => {
    const { id, verifiedAt } = await memory.server.learn({ ...learnDeploy, confidence: 0.5 });
    const say = async (verdict: string) =>
      (await memory.server.ask("POST", `/learning/${id}/${verdict}`)).json;
    expect((await say("confirm")).confidence).toBeCloseTo(0.6);
    expect((await say("reject")).confidence).toBeCloseTo(0.45);
    const before = await say("verify");
    expect(before.confidence).toBeCloseTo(0.45);
    expect(before.verifiedAt >= verifiedAt).toBe(true);
    await memory.server.inject({ context: learnDeploy.trigger });
    expect((await memory.server.ask("GET", `/learning/${id}`)).json).toMatchObject({
      verifiedAt: before.verifiedAt,
    });
    expect((await memory.server.ask("POST", "/learning/none/confirm")).status).toBe(404);
    expect((await memory.server.ask("POST", `/learning/${id}/praise`)).status).toBe(400);
  });

  test("secrets and invisible characters never reach the disk, a git hash does", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const sha = "0123456789abcdef0123456789abcdef01234567";
    const stored = await memory.server.learn({
      trigger: `pushing with ${secret}`,
      learning: `see ${sha}\u202e\u0007`,
      reason: `because ${secret}`,
      source: `https://user:${secret}@example.com`,
    });
    expect(stored.trigger).toBe("pushing with [REDACTED:github_token]");
    expect(stored.learning).toBe(`see ${sha}`);
    await memory.server.ask("PUT", "/state/secret", { body: { note: secret } });
    await memory.server.ask("POST", "/handoff", { body: { sessionId: "s", summary: secret } });
    const files = (await engine.listFiles(join(memory.server.folder, "home"))).map((file) =>
      readFileSync(file),
    );
    expect(files.some((bytes) => bytes.includes(sha))).toBe(true);
    expect(files.some((bytes) => bytes.includes(secret))).toBe(false);
  });

  test("what expires is gone for every reader, and a marker deletes what was written with it", async () => {
    let now = Date.now();
    const timed = await startMemoryServer({ ...(await engine.environment()) }, () => now);
    try {
      await timed.learn({ trigger: "an ephemeral note", learning: "for a test", ttl: 60 });
      await timed.learn({ trigger: "another note", learning: "for a test", marker: "run-7" });
      expect((await timed.inject({ context: "an ephemeral note" })).learnings).toHaveLength(1);
      now += 61_000;
      expect((await timed.inject({ context: "an ephemeral note" })).learnings).toEqual([]);
      expect((await timed.ask("GET", "/learnings")).json.total).toBe(1);
      expect((await timed.ask("DELETE", "/learnings?marker=run-7")).json.deleted).toBe(1);
      expect((await timed.ask("GET", "/stats")).json.total_learnings).toBe(0);
    } finally {
      await timed.stop();
    }
  });

  test("a repeated request with one idempotency key is stored once", async () => {
    const body = { ...learnDeploy, idempotencyKey: "k1" };
    const first = await memory.server.learn(body);
    await memory.server.ask("DELETE", `/learning/${first.id}`);
    expect(await memory.server.learn(body)).toMatchObject({ id: first.id, status: "replayed" });
    expect((await memory.server.ask("GET", "/stats")).json.total_learnings).toBe(0);
    const other = await memory.server.ask("POST", "/learn", {
      body: { trigger: "something else", learning: "entirely" },
      headers: { "idempotency-key": "k1" },
    });
    expect(other.status).toBe(409);
  });

  test("an export is imported into another server as it was, and all faults of an import are told", async () => {
    await memory.server.learn({
      ...learnDeploy,
      type: "failure",
      alternative: "x",
      project: "p",
      confidence: 0.3,
    });
    await memory.server.learn({ trigger: "naming branches", learning: "prefix\nwith the ticket" });
    const lines = (await memory.server.ask("GET", "/learnings/export")).text;
    expect(lines.trim().split("\n")).toHaveLength(2);
    const other = await startMemoryServer(await engine.environment());
    try {
      expect((await other.ask("POST", "/learnings/import", { body: lines })).json).toEqual({
        stored: 2,
        merged: 0,
      });
      expect((await other.ask("POST", "/learnings/import", { body: lines })).json).toEqual({
        stored: 0,
        merged: 2,
      });
      const strip = (text: string) =>
        text
          .trim()
          .split("\n")
          .map((line) => {
            const { updatedAt: _u, verifiedAt: _v, ...rest } = JSON.parse(line) as Record<string, unknown>;
            return rest;
          });
      expect(strip((await other.ask("GET", "/learnings/export")).text)).toEqual(strip(lines));
      const broken = await other.ask("POST", "/learnings/import", {
        body: `{"trigger":"a","learning":"b"}\nnot json\n{"trigger":1}`,
      });
      expect(broken.status).toBe(400);
      expect(broken.json.errors.map(({ path }) => path)).toEqual(
        expect.arrayContaining(["line 2", "line 3/trigger", "line 3/learning"]),
      );
      expect((await other.ask("GET", "/stats")).json.total_learnings).toBe(2);
    } finally {
      await other.stop();
    }
  });
});
