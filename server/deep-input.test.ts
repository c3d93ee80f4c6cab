import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startMemoryServer } from "./memory/fixtures/start-memory-server.ts";

const DEPTH = 100_000;
const deep = `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`;

test("an input that is nested deeper than the stack is answered, and never as a bug of ours", async () => {
  const server = await startMemoryServer();
  try {
    const token = readFileSync(join(server.folder, "home/admin-token"), "utf8").trim();
    const call = { name: "learn", arguments: "INPUT" };
    const mcp = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
    const learning = `{"trigger":"a","learning":"b","extra":${deep}}`;
    const requests: [method: string, path: string, body: string, as?: string][] = [
      ["POST", "/learn", learning],
      ["POST", "/learn", deep],
      ["POST", "/learnings/import", learning],
      ["POST", "/inject", `{"context":"a","scopes":${deep}}`],
      ["POST", "/mcp", mcp.replace('"INPUT"', learning)],
      ["PUT", "/state/atlas", `{"notes":${deep}}`],
      ["PATCH", "/state/atlas", `{"notes":${deep}}`],
      ["POST", "/state/atlas/events", `{"notes":${deep}}`],
      ["POST", "/handoff", `{"sessionId":"s","notes":${deep}}`],
      ["POST", "/keys", `{"writer":"a","scopes":${deep}}`],
      ["PUT", "/api/fleet/a/b", `{"status":"running","extra":${deep}}`],
      ["POST", "/api/tokens", `{"actions":${deep}}`, token],
      ["POST", "/api/sites/docs/deployments", `{"manifest":[],"extra":${deep}}`, token],
    ];
    const answers: string[] = [];
    for (const [method, path, body, as] of requests) {
      // The server is busy for long enough to close a connection that was kept open for the next request.
      const headers = { accept: "application/json, text/event-stream", connection: "close" };
      const { status } = await server.ask(method, path, { body, headers, ...(as ? { as } : {}) });
      answers.push(`${method} ${path} ${status}`);
    }
    expect(answers.filter((answer) => / 5\d\d$/.test(answer))).toEqual([]);
    expect(answers).toContain("PUT /state/atlas 400");
  } finally {
    await server.stop();
  }
});
