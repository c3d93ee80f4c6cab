import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type MemoryServer, startMemoryServer } from "./fixtures/start-memory-server.ts";
import { describeEngines } from "./fixtures/engines.ts";

describeEngines((engine) => {
  let server: MemoryServer;
  beforeAll(async () => {
    server = await startMemoryServer(await engine.environment());
  });
  afterAll(() => server.stop());
  afterEach(async () => {
    await server.ask("DELETE", "/learnings?confidence_lt=1");
    await server.ask("DELETE", "/learnings?writer=main&purge=true");
  });

  const learnDeploy = {
    trigger: "deploying the billing api",
    learning: "run the migration job before the rollout",
  };

  describe("the predecessor's round trip", () => {
    test("a learning is injected by its own trigger, listed, read, deleted, and gone", async () => {
      const trigger = `gate-test-trigger-${Date.now()}`;
      const learning = `marker ${trigger} is remembered`;
      const stored = await server.learn({ trigger, learning, confidence: 0.1 });
      expect(stored).toMatchObject({ status: "stored", trigger, learning, confidence: 0.1, scope: "shared" });

      const injected = await server.inject({ context: trigger, format: "prompt", limit: 5 });
      expect(injected.learnings.map((one) => one.learning)).toContain(learning);
      expect(injected.injection).toContain(`- ${trigger}: ${learning}`);
      expect(injected.injection).toBe(injected.prompt);

      const page = (await server.ask("GET", "/learnings?limit=1")).json;
      expect(page).toMatchObject({ total: 1, limit: 1, offset: 0 });
      expect(page.learnings[0]).toMatchObject({ id: stored.id, created_at: stored.createdAt });
      expect((await server.ask("GET", "/learnings?shape=array")).json).toHaveLength(1);
      expect((await server.ask("GET", `/learning/${stored.id}`)).json.learning).toBe(learning);
      expect((await server.ask("GET", "/stats")).json).toMatchObject({
        total_learnings: 1,
        totalLearnings: 1,
        avg_confidence: 0.1,
      });

      expect((await server.ask("DELETE", `/learning/${stored.id}`)).json).toEqual({
        status: "deleted",
        success: true,
        id: stored.id,
      });
      expect((await server.ask("DELETE", `/learning/${stored.id}`)).status).toBe(404);
      expect((await server.inject({ context: trigger })).learnings).toEqual([]);
    });

    test("both older shapes of questions and answers are understood", async () => {
      await server.learn(learnDeploy);
      const structured = await server.inject({ context: "deploying the billing api" });
      expect(structured.injection).toEqual([expect.objectContaining({ ...learnDeploy, confidence: 1 })]);
      const second = await server.inject({
        text: "deploying the billing api",
        format: "learnings",
        scopes: ["shared"],
      });
      expect(second.prompt).toContain(learnDeploy.learning);
      const query = (await server.ask("POST", "/query", { body: { text: "billing rollout" }, as: null }))
        .json;
      expect(query.learnings[0]).toMatchObject({ ...learnDeploy, score: expect.any(Number) });
      expect(query.hits).toEqual({ shared: 1 });
    });
  });

  test("the key file is made once with mode 600, and writing needs its key", async () => {
    expect(statSync(server.keyFile).mode & 0o777).toBe(0o600);
    expect(server.key).toMatch(/^nsm_[\w-]{43}$/);
    const without = await server.ask("POST", "/learn", { body: learnDeploy, as: null });
    expect(without.status).toBe(401);
    expect(without.headers.get("www-authenticate")).toContain("Bearer");
    expect(
      (await server.ask("POST", "/learn", { body: learnDeploy, as: "wrong-key-wrong-key" })).status,
    ).toBe(401);
    expect(
      (await server.ask("POST", "/inject", { body: { context: "x" }, as: "wrong-key-wrong-key" })).status,
    ).toBe(401);
  });

  test("every fault of a request is told in one answer", async () => {
    const { status, json } = await server.ask("POST", "/learn", {
      body: { trigger: "", confidence: 7, ttl: 0 },
    });
    expect(status).toBe(400);
    expect(json.code).toBe("bad-data");
    expect(json.errors.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/body/trigger", "/body/learning", "/body/confidence", "/body/ttl"]),
    );
    expect(
      (await server.ask("POST", "/learn", { body: { trigger: "\u200b", learning: "x" } })).json.errors[0]
        ?.path,
    ).toBe("/body/trigger");
    expect((await server.ask("POST", "/inject", { body: {} })).status).toBe(400);
    expect((await server.ask("POST", "/inject", { body: "{" })).status).toBe(400);
    expect((await server.ask("DELETE", "/learnings")).status).toBe(400);
  });

  test("the same text merges, a text that differs in a digit does not", async () => {
    const first = await server.learn({ ...learnDeploy, confidence: 0.4 });
    const again = await server.learn({
      trigger: "Deploying  the billing API.",
      learning: learnDeploy.learning,
      confidence: 0.9,
    });
    expect(again).toMatchObject({ id: first.id, status: "merged", confidence: 0.9, writers: 1 });
    const one = await server.learn({ trigger: "port of service A", learning: "it listens on 8081" });
    const two = await server.learn({ trigger: "port of service A", learning: "it listens on 8082" });
    expect(two).toMatchObject({ status: "stored", contradicts: [] });
    expect(two.id).not.toBe(one.id);
    const ports = await server.inject({ context: "port of service A" });
    expect(ports.learnings.map((each) => each.learning).sort()).toEqual([
      "it listens on 8081",
      "it listens on 8082",
    ]);
  });

  test("a contradiction is kept, linked, and the newer one comes first", async () => {
    const old = await server.learn({
      trigger: "running integration tests locally",
      learning: "use docker compose for the database",
    });
    const next = await server.learn({
      trigger: "running integration tests locally",
      learning: "do not use docker compose for the database",
    });
    expect(next.contradicts).toEqual([old.id]);
    const { learnings, prompt } = await server.inject({ context: "running integration tests locally" });
    expect(learnings.map(({ id }) => id)).toEqual([next.id, old.id]);
    expect(learnings[1]?.contradictedBy).toEqual([next.id]);
    expect(prompt).toContain("a newer note says otherwise");
  });

  test("a superseded learning gives way to its successor", async () => {
    const old = await server.learn({
      trigger: "choosing the node version",
      learning: "stay with the old runtime image",
    });
    const next = await server.learn({
      trigger: "which runtime image",
      learning: "take the slim one",
      supersedes: old.id,
    });
    const { learnings } = await server.inject({ context: "choosing the node version" });
    expect(learnings.map(({ id }) => id)).toEqual([next.id]);
  });

  test("a failure is shown together with what works", async () => {
    const failure = await server.learn({
      type: "failure",
      trigger: "building on arm64",
      learning: "pinning esbuild did not help",
    });
    const fix = await server.learn({
      trigger: "native modules on another architecture",
      learning: "run npm rebuild",
      fixes: failure.id,
    });
    const { learnings, prompt } = await server.inject({ context: "building on arm64" });
    expect(learnings.map(({ id }) => id)).toEqual([failure.id]);
    expect(learnings[0]?.fix.id).toBe(fix.id);
    expect(prompt).toContain(
      "- DID NOT WORK: building on arm64: pinning esbuild did not help. WHAT WORKS: run npm rebuild",
    );
    const alone = await server.learn({
      type: "failure",
      trigger: "signing with gpg in ci",
      learning: "gpg-agent hangs",
      alternative: "use sigstore",
    });
    expect((await server.inject({ context: "signing with gpg in ci" })).prompt).toContain(
      "gpg-agent hangs. WHAT WORKS: use sigstore",
    );
    expect(alone.alternative).toBe("use sigstore");
  });

  test("gives nothing for a context that nothing fits, and says why", async () => {
    await server.learn(learnDeploy);
    const { learnings, prompt, injection, abstained } = await server.inject({
      context: "bake a chocolate cake",
      format: "prompt",
    });
    expect({ learnings, prompt, injection }).toEqual({ learnings: [], prompt: "", injection: "" });
    expect(abstained).toMatch(/no learning shares/);
    const metrics = (await server.ask("GET", "/metrics")).text;
    expect(metrics).toMatch(/nightshift_memory_injections_total\{result="abstained"\} \d+/);
    expect(metrics).toMatch(/nightshift_process_resident_memory_bytes \d+/);
  });

  test("explains what matched and why others lost", async () => {
    await server.learn(learnDeploy);
    await server.learn({
      trigger: "naming branches",
      learning: "prefix with the ticket, deploying is separate",
    });
    const { learnings, others } = await server.inject({
      context: "deploying the billing api with kuberntes",
      explain: true,
    });
    expect(learnings[0]?.matches).toContainEqual({
      term: "bill",
      found: "bill",
      field: "trigger",
      weight: expect.any(Number),
    });
    expect(learnings[0]?.prior).toBeGreaterThan(0.7);
    expect(others[0]?.why).toMatch(/strength .* is below|far weaker/);
    const trace = (
      await server.ask("POST", "/inject/trace", { body: { context: "deploying the billing api" } })
    ).json;
    expect(trace.candidates.map((one) => one.passed_threshold)).toEqual([true, false]);
  });

  test("finds a misspelled word, another form of a word, an alias and a part of an identifier", async () => {
    const stored = await server.learn({
      trigger: "postgresql connections of getUserById",
      learning: "close the pool",
    });
    for (const context of [
      "postgresql conections",
      "connected to postgres",
      "pg connecting",
      "get_user_by_id",
      "user by id connection",
    ]) {
      const { json } = await server.ask("POST", "/query", { body: { context } });
      expect(json.learnings[0]?.id, context).toBe(stored.id);
    }
  });

  test("folds near-duplicates into the better one", async () => {
    const one = await server.learn({
      trigger: "the linter complains about imports",
      learning: "sort them with the fix flag",
    });
    const two = await server.learn({
      trigger: "linter complains about the imports",
      learning: "sort imports with the fix flag",
    });
    const { learnings } = await server.inject({ context: "the linter complains about imports" });
    expect(learnings).toHaveLength(1);
    expect(new Set([learnings[0]?.id, ...(learnings[0]?.standsFor ?? [])])).toEqual(
      new Set([one.id, two.id]),
    );
  });

  test("an outcome credits what was injected, once, and its opposite replaces it", async () => {
    const good = await server.learn(learnDeploy);
    const { receipt } = await server.inject({ context: "deploying the billing api" });
    const outcome = (body: object) => server.ask("POST", "/outcome", { body });
    expect((await outcome({ receipt, outcome: "pass" })).json).toMatchObject({
      credited: [good.id],
      changed: true,
    });
    expect((await outcome({ receipt, outcome: "pass" })).json).toMatchObject({ changed: false });
    const read = async () => (await server.ask("GET", `/learning/${good.id}`)).json;
    expect(await read()).toMatchObject({ helpful: 1, harmful: 0 });
    await outcome({ injection_id: receipt, outcome: "fail" });
    expect(await read()).toMatchObject({ helpful: 0, harmful: 1 });
    expect((await outcome({ receipt: `${receipt}x`, outcome: "pass" })).status).toBe(400);
    expect((await outcome({ receipt: receipt.replace(".", ".1"), outcome: "pass" })).status).toBe(400);
  });

  test("confirm, reject and verify move a learning; reading does not", async () => {
    const { id, verifiedAt } = await server.learn({ ...learnDeploy, confidence: 0.5 });
    const say = async (verdict: string) => (await server.ask("POST", `/learning/${id}/${verdict}`)).json;
    expect((await say("confirm")).confidence).toBeCloseTo(0.6);
    expect((await say("reject")).confidence).toBeCloseTo(0.45);
    const before = await say("verify");
    expect(before.confidence).toBeCloseTo(0.45);
    expect(before.verifiedAt >= verifiedAt).toBe(true);
    await server.inject({ context: learnDeploy.trigger });
    expect((await server.ask("GET", `/learning/${id}`)).json).toMatchObject({
      verifiedAt: before.verifiedAt,
    });
    expect((await server.ask("POST", "/learning/none/confirm")).status).toBe(404);
    expect((await server.ask("POST", `/learning/${id}/praise`)).status).toBe(400);
  });

  test("neighbours are the similar ones", async () => {
    const one = await server.learn(learnDeploy);
    const two = await server.learn({
      trigger: "deploying the billing worker",
      learning: "drain the queue before the rollout",
    });
    await server.learn({ trigger: "naming branches", learning: "prefix with the ticket" });
    const { neighbors } = (await server.ask("GET", `/learning/${one.id}/neighbors?threshold=0.1`)).json;
    expect(neighbors.map(({ id }) => id)).toEqual([two.id]);
  });

  test("secrets and invisible characters never reach the disk, a git hash does", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const sha = "0123456789abcdef0123456789abcdef01234567";
    const stored = await server.learn({
      trigger: `pushing with ${secret}`,
      learning: `see ${sha}\u202e\u0007`,
      reason: `because ${secret}`,
      source: `https://user:${secret}@example.com`,
    });
    expect(stored.trigger).toBe("pushing with [REDACTED:github_token]");
    expect(stored.learning).toBe(`see ${sha}`);
    await server.ask("PUT", "/state/secret", { body: { note: secret } });
    await server.ask("POST", "/handoff", { body: { sessionId: "s", summary: secret } });
    const files = (await engine.listFiles(join(server.folder, "home"))).map((file) => readFileSync(file));
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
    const first = await server.learn(body);
    await server.ask("DELETE", `/learning/${first.id}`);
    expect(await server.learn(body)).toMatchObject({ id: first.id, status: "replayed" });
    expect((await server.ask("GET", "/stats")).json.total_learnings).toBe(0);
    const other = await server.ask("POST", "/learn", {
      body: { trigger: "something else", learning: "entirely" },
      headers: { "idempotency-key": "k1" },
    });
    expect(other.status).toBe(409);
  });

  test("an export is imported into another server as it was, and all faults of an import are told", async () => {
    await server.learn({ ...learnDeploy, type: "failure", alternative: "x", project: "p", confidence: 0.3 });
    await server.learn({ trigger: "naming branches", learning: "prefix\nwith the ticket" });
    const lines = (await server.ask("GET", "/learnings/export")).text;
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

  test("ten thousand others do not hide a learning from the next request", async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) =>
      JSON.stringify({
        trigger: `service ${at % 97} task ${at} in module ${at % 31}`,
        learning: `note number ${at} about deploy step ${at % 13}`,
        marker: "bulk",
      }),
    );
    expect((await server.ask("POST", "/learnings/import", { body: lines.join("\n") })).json.stored).toBe(
      10_000,
    );
    const trigger = `gate-test-trigger-${Date.now()}`;
    const { id } = await server.learn({ trigger, learning: `learned ${trigger}`, confidence: 0.1 });
    expect((await server.inject({ context: trigger })).learnings[0]?.id).toBe(id);
    await server.ask("DELETE", `/learning/${id}`);
    expect((await server.inject({ context: trigger })).learnings.map((one) => one.id)).not.toContain(id);
    expect((await server.ask("DELETE", "/learnings?marker=bulk&purge=true")).json.deleted).toBe(10_000);
  });
});
