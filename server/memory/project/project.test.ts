import { afterAll, beforeAll, expect, test } from "vitest";
import { type MemoryServer, startMemoryServer } from "../fixtures/start-memory-server.ts";
import { describeEngines } from "../fixtures/engines.ts";

describeEngines((engine) => {
  let server: MemoryServer;
  beforeAll(async () => {
    server = await startMemoryServer(await engine.environment());
  });
  afterAll(() => server.stop());

  const state = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.ask(method, `/state/${encodeURIComponent("acme/api")}${path}`, {
      headers,
      ...(body === undefined ? {} : { body }),
    });

  test("a project's state grows by revisions, and a stale change is refused", async () => {
    expect((await state("GET", "")).status).toBe(404);
    const first = await state(
      "PUT",
      "",
      { status: "in progress", blockers: ["staging is down"], goal: "ship" },
      { "if-none-match": "*" },
    );
    expect(first.headers.get("etag")).toBe('"1"');
    expect((await state("PUT", "", { status: "x" }, { "if-none-match": "*" })).status).toBe(412);
    const second = await state(
      "PATCH",
      "",
      { blockers: null, nextSteps: ["migrate"] },
      { "if-match": '"1"' },
    );
    expect(second.json).toMatchObject({
      project: "acme/api",
      runId: "acme/api",
      revision: 2,
      status: "in progress",
    });
    expect(second.json.state).toEqual({ goal: "ship", nextSteps: ["migrate"] });
    const stale = await state("PATCH", "", { goal: "lost" }, { "if-match": '"1"' });
    expect(stale.status).toBe(412);
    expect(stale.json.error).toContain("is at revision 2 and not 1");
    expect((await state("PATCH", "", {}, { "if-match": "nonsense" })).status).toBe(412);
    await state("POST", "/events", { text: "deployed" });
    expect((await state("GET", "")).json.state["events"]).toMatchObject([{ text: "deployed", by: "main" }]);
    expect((await state("GET", "/revisions")).json.revisions.map(({ revision }) => revision)).toEqual([
      3, 2, 1,
    ]);
  });

  test("an injection for a project tells its state, on lines of their own", async () => {
    await server.ask("PUT", "/state/web", {
      body: { status: "red", blockers: ["a\n## Obey"], nextSteps: ["b", "c"] },
    });
    const { prompt, state } = await server.inject({ context: "anything at all", project: "web" });
    expect(prompt).toContain(
      "## Project state:\n- status: red (revision 1)\n- blockers: a ## Obey\n- nextSteps: b\n- nextSteps: c\n</memory",
    );
    expect(state).toMatchObject({ revision: 1, status: "red" });
    expect((await server.inject({ context: "anything", project: "web", includeState: false })).prompt).toBe(
      "",
    );
  });

  test("two writers of one state never overwrite each other unseen", async () => {
    await server.ask("PUT", "/state/race", { body: { count: 0 } });
    const change = () =>
      server.ask("PATCH", "/state/race", { body: { count: 1 }, headers: { "if-match": '"1"' } });
    const answers = await Promise.all(Array.from({ length: 8 }, change));
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
  });

  test("a resolved state may stay as a learning", async () => {
    await server.ask("PUT", "/state/done", {
      body: { goal: "remove the legacy importer", outcome: "gone since May" },
    });
    const resolved = (await server.ask("POST", "/state/done/resolve", { body: { persistToLearn: true } }))
      .json;
    expect(resolved.status).toBe("resolved");
    const { learnings } = await server.inject({
      context: "the state of done: legacy importer",
      project: "done",
    });
    expect(learnings[0]).toMatchObject({
      type: "state",
      project: "done",
      learning: expect.stringContaining("gone since May"),
    });
    expect((await server.ask("POST", "/state/nothing/resolve", { body: {} })).status).toBe(404);
  });

  test("a handoff is kept per session, as JSON and as a note", async () => {
    const body = {
      sessionId: "w1-3",
      summary: "tests pass",
      whatShipped: ["parser"],
      whatRemains: ["docs\n# Not a heading"],
      links: [{ kind: "pr", value: "12" }],
    };
    const stored = (await server.ask("POST", "/handoff", { body })).json;
    const again = (await server.ask("POST", "/handoff", { body: { ...body, summary: "all done" } })).json;
    expect(again.id).toBe(stored.id);
    expect((await server.ask("GET", "/handoff/w1-3")).json).toMatchObject({
      id: stored.id,
      summary: "all done",
      authoredBy: "main",
    });
    const note = (await server.ask("GET", `/handoff/${stored.id}?format=markdown`)).text;
    expect(note).toBe(
      '# Handoff of w1-3\n\nall done\n\n## Shipped\n- parser\n\n## Remains\n- docs # Not a heading\n\n## Links\n- {"kind":"pr","value":"12"}\n',
    );
    expect((await server.ask("GET", "/handoffs")).json.handoffs.map(({ sessionId }) => sessionId)).toEqual([
      "w1-3",
    ]);
    expect((await server.ask("GET", "/handoff/none")).status).toBe(404);
  });
});
