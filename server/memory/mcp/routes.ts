import { Elysia } from "elysia";
import { Type } from "../../../core/schema.ts";
import { documented } from "../../http/route-docs.ts";
import type { MemoryPorts } from "../answers/ask.ts";
import { answerMcp } from "./mcp.ts";

/** The memory for agents that speak MCP. */
export const mcpRoutes = (ports: MemoryPorts) =>
  new Elysia({ name: "memory-mcp" }).post("/mcp", ({ request }) => answerMcp(ports, request), {
    parse: "none",
    ...documented({
      summary: "Model Context Protocol: the tools recall, learn and outcome",
      description: "Streamable HTTP without sessions; one JSON-RPC message a request.",
      tag: "memory",
      response: Type.Object({
        jsonrpc: Type.String(),
        id: Type.Integer(),
        result: Type.Object({}, { additionalProperties: true }),
      }),
      example: {
        jsonrpc: "2.0",
        id: 1,
        result: { content: [{ type: "text", text: "stored as 5b8f6c1e-…" }] },
      },
      errors: ["forbidden", "too-large"],
    }),
  });
