import type { Teller } from "./tell.ts";

const project = "api";
const context = "deploy the api to kubernetes";

/** Learnings, what is asked of them, and who may write them. */
export const tellMemory = async ({ tell }: Teller): Promise<void> => {
  const learned = await tell<{ id: string }>("POST /learn", {
    body: {
      trigger: "deploying the api on Kubernetes",
      learning: "run the database migration job first",
      confidence: 0.9,
    },
  });
  await tell("POST /learn", {
    body: {
      trigger: "deploying the api to the staging cluster",
      learning: "run the migration job of the database by hand",
    },
  });
  const { receipt } = await tell<{ receipt: string }>("POST /inject", {
    body: { context, format: "prompt", limit: 5 },
  });
  await tell("POST /outcome", { body: { receipt, outcome: "pass" } });
  await tell("GET /query", { query: { context } });
  await tell("POST /query", { body: { context, limit: 5 } });
  await tell("POST /inject/trace", { body: { context } });
  const at = { id: learned.id, verdict: "confirm" };
  await tell("GET /learning/{id}", { at });
  await tell("GET /learning/{id}/neighbors", { at, query: { threshold: "0.1" } });
  await tell("POST /learning/{id}/{verdict}", { at });
  await tell("GET /learnings");
  const lines = await tell<string>("GET /learnings/export");
  await tell("GET /stats");
  await tell("POST /mcp", {
    headers: { accept: "application/json, text/event-stream" },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name: "learn",
        arguments: { trigger: "releasing the parser", learning: "bump the grammar first" },
      },
    },
  });

  const made = await tell<{ id: string; key: string }>("POST /keys", {
    body: { writer: "ci", access: "write", scopes: ["shared"] },
  });
  await tell("GET /keys");
  await tell("POST /learn", { as: made.key, body: { trigger: "a red build", learning: "run it again" } });
  await tell("POST /undo", { body: { since: "2026-11-20T00:00:00Z", writer: "ci" } });
  await tell("DELETE /keys/{id}", { at: made });
  await tell("DELETE /learning/{id}", { at });
  await tell("DELETE /learnings", { query: { type: "learning" } });
  await tell("POST /learnings/import", { body: lines, headers: { "content-type": "application/x-ndjson" } });
};

/** Where a project stands, and what a session hands on. */
export const tellProjects = async ({ tell }: Teller): Promise<void> => {
  const at = { project };
  await tell("PUT /state/{project}", {
    at,
    body: { status: "in progress", blockers: ["staging is down"], nextSteps: ["write the migration"] },
  });
  await tell("PATCH /state/{project}", { at, body: { blockers: null } });
  await tell("POST /state/{project}/events", { at, body: { event: "the migration is written" } });
  await tell("GET /state/{project}", { at });
  await tell("POST /state/{project}/resolve", { at, body: { persistToLearn: true } });
  await tell("GET /state/{project}/revisions", { at });
  const handoff = await tell<{ id: string }>("POST /handoff", {
    body: { sessionId: "w1-3", summary: "tests pass", whatRemains: ["docs"] },
  });
  await tell("GET /handoff/{id}", { at: handoff });
  await tell("GET /handoffs");
};
