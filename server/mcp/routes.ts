import { Elysia } from "elysia";
import { Type } from "../../core/schema.ts";
import { documented } from "../http/route-docs.ts";
import { answerMcp, type McpPorts } from "./mcp.ts";

/** The memory, the workers and publishing for agents that speak MCP. */
export const mcpRoutes = (ports: McpPorts) =>
  new Elysia({ name: "mcp", tags: ["memory"] }).post("/mcp", ({ request }) => answerMcp(ports, request), {
    parse: "none",
    ...documented({
      summary: "Model Context Protocol: tools for the memory, the workers and publishing",
      description:
        "Streamable HTTP without sessions; one JSON-RPC message a request. A key of the memory has recall, learn and outcome; a token also has what it may do.",
      response: Type.Object({
        jsonrpc: Type.String(),
        id: Type.Integer(),
        result: Type.Object({}, { additionalProperties: true }),
      }),
      errors: ["forbidden", "too-large"],
    }),
  });
