import { expect, test } from "vitest";
import { describeEngines } from "./fixtures/engines.ts";
import { useEmptiedServer } from "./fixtures/use-emptied-server.ts";

const learnDeploy = {
  trigger: "deploying the billing api",
  learning: "run the migration job before the rollout",
};

describeEngines((engine) => {
  const memory = useEmptiedServer(engine);

  test("a contradiction is kept, linked, and the newer one comes first", async () => {
    const old = await memory.server.learn({
      trigger: "running integration tests locally",
      learning: "use docker compose for the database",
    });
    const next = await memory.server.learn({
      trigger: "running integration tests locally",
      learning: "do not use docker compose for the database",
    });
    expect(next.contradicts).toEqual([old.id]);
    const { learnings, prompt } = await memory.server.inject({
      context: "running integration tests locally",
    });
    expect(learnings.map(({ id }) => id)).toEqual([next.id, old.id]);
    expect(learnings[1]?.contradictedBy).toEqual([next.id]);
    expect(prompt).toContain("a newer note says otherwise");
  });

  test("a superseded learning gives way to its successor", async () => {
    const old = await memory.server.learn({
      trigger: "choosing the node version",
      learning: "stay with the old runtime image",
    });
    const next = await memory.server.learn({
      trigger: "which runtime image",
      learning: "take the slim one",
      supersedes: old.id,
    });
    const { learnings } = await memory.server.inject({ context: "choosing the node version" });
    expect(learnings.map(({ id }) => id)).toEqual([next.id]);
  });

  test("a failure is shown together with what works", async () => {
    const failure = await memory.server.learn({
      type: "failure",
      trigger: "building on arm64",
      learning: "pinning esbuild did not help",
    });
    const fix = await memory.server.learn({
      trigger: "native modules on another architecture",
      learning: "run npm rebuild",
      fixes: failure.id,
    });
    const { learnings, prompt } = await memory.server.inject({ context: "building on arm64" });
    expect(learnings.map(({ id }) => id)).toEqual([failure.id]);
    expect(learnings[0]?.fix.id).toBe(fix.id);
    expect(prompt).toContain(
      "- DID NOT WORK: building on arm64: pinning esbuild did not help. WHAT WORKS: run npm rebuild",
    );
    const alone = await memory.server.learn({
      type: "failure",
      trigger: "signing with gpg in ci",
      learning: "gpg-agent hangs",
      alternative: "use sigstore",
    });
    expect((await memory.server.inject({ context: "signing with gpg in ci" })).prompt).toContain(
      "gpg-agent hangs. WHAT WORKS: use sigstore",
    );
    expect(alone.alternative).toBe("use sigstore");
  });

  test("gives nothing for a context that nothing fits, and says why", async () => {
    await memory.server.learn(learnDeploy);
    const { learnings, prompt, injection, abstained } = await memory.server.inject({
      context: "bake a chocolate cake",
      format: "prompt",
    });
    expect({ learnings, prompt, injection }).toEqual({ learnings: [], prompt: "", injection: "" });
    expect(abstained).toMatch(/no learning shares/);
    const metrics = (await memory.server.ask("GET", "/metrics")).text;
    expect(metrics).toMatch(/nightshift_memory_injections_total\{result="abstained"\} \d+/);
    expect(metrics).toMatch(/nightshift_process_resident_memory_bytes \d+/);
  });

  test("explains what matched and why others lost", async () => {
    await memory.server.learn(learnDeploy);
    await memory.server.learn({
      trigger: "naming branches",
      learning: "prefix with the ticket, deploying is separate",
    });
    const { learnings, others } = await memory.server.inject({
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
      await memory.server.ask("POST", "/inject/trace", { body: { context: "deploying the billing api" } })
    ).json;
    expect(trace.candidates.map((one) => one.passed_threshold)).toEqual([true, false]);
  });

  test("finds a misspelled word, another form of a word, an alias and a part of an identifier", async () => {
    const stored = await memory.server.learn({
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
      const { json } = await memory.server.ask("POST", "/query", { body: { context } });
      expect(json.learnings[0]?.id, context).toBe(stored.id);
    }
  });

  test("folds near-duplicates into the better one", async () => {
    const one = await memory.server.learn({
      trigger: "the linter complains about imports",
      learning: "sort them with the fix flag",
    });
    const two = await memory.server.learn({
      trigger: "linter complains about the imports",
      learning: "sort imports with the fix flag",
    });
    const { learnings } = await memory.server.inject({ context: "the linter complains about imports" });
    expect(learnings).toHaveLength(1);
    expect(new Set([learnings[0]?.id, ...(learnings[0]?.standsFor ?? [])])).toEqual(
      new Set([one.id, two.id]),
    );
  });

  test("neighbours are the similar ones", async () => {
    const one = await memory.server.learn(learnDeploy);
    const two = await memory.server.learn({
      trigger: "deploying the billing worker",
      learning: "drain the queue before the rollout",
    });
    await memory.server.learn({ trigger: "naming branches", learning: "prefix with the ticket" });
    const { neighbors } = (await memory.server.ask("GET", `/learning/${one.id}/neighbors?threshold=0.1`))
      .json;
    expect(neighbors.map(({ id }) => id)).toEqual([two.id]);
  });

  test("ten thousand others do not hide a learning from the next request", { tags: ["long"] }, async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) =>
      JSON.stringify({
        trigger: `service ${at % 97} task ${at} in module ${at % 31}`,
        learning: `note number ${at} about deploy step ${at % 13}`,
        marker: "bulk",
      }),
    );
    expect(
      (await memory.server.ask("POST", "/learnings/import", { body: lines.join("\n") })).json.stored,
    ).toBe(10_000);
    const trigger = `gate-test-trigger-${Date.now()}`;
    const { id } = await memory.server.learn({ trigger, learning: `learned ${trigger}`, confidence: 0.1 });
    expect((await memory.server.inject({ context: trigger })).learnings[0]?.id).toBe(id);
    await memory.server.ask("DELETE", `/learning/${id}`);
    expect((await memory.server.inject({ context: trigger })).learnings.map((one) => one.id)).not.toContain(
      id,
    );
    expect((await memory.server.ask("DELETE", "/learnings?marker=bulk&purge=true")).json.deleted).toBe(
      10_000,
    );
  });
});
