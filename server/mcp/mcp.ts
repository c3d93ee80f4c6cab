import type { CallToolResult, Server, Tool } from "@modelcontextprotocol/server";
import { AppError } from "../../core/errors.ts";
import { readVersion } from "../../core/version.ts";
import { findSignedIn } from "../auth/authenticate.ts";
import { MEMORY_TOOLS, type MemorySide } from "./memory-tools.ts";
import { PUBLISH_TOOL, type PublishSide } from "./publish-tool.ts";
import type { ServerTool } from "./tool.ts";
import { WORKER_TOOLS, type WorkerSide } from "./worker-tools.ts";

export type McpPorts = MemorySide & PublishSide & WorkerSide;

const TOOLS: readonly ServerTool<McpPorts>[] = [...MEMORY_TOOLS, ...WORKER_TOOLS, PUBLISH_TOOL];

const describeTool = ({
  name,
  description,
  input,
  isReadOnly,
  isDestructive = false,
}: ServerTool<McpPorts>): Tool => ({
  name,
  description,
  // A plain copy: TypeBox marks its schemas with symbols.
  inputSchema: JSON.parse(JSON.stringify(input)) as Tool["inputSchema"],
  annotations: {
    readOnlyHint: isReadOnly,
    destructiveHint: isDestructive,
    idempotentHint: isReadOnly,
    openWorldHint: false,
  },
});

const callTool = async (
  ports: McpPorts,
  request: Request,
  { name, input }: { name: string; input: unknown },
): Promise<CallToolResult> => {
  const called = TOOLS.find((one) => one.name === name);
  try {
    if (!called) throw new AppError("not-found", `There is no tool "${name}"`);
    return { content: [{ type: "text", text: await called.run(ports, request, input) }] };
  } catch (error) {
    // The model may do better next time when it reads why.
    if (!(error instanceof AppError)) throw error;
    return { isError: true, content: [{ type: "text", text: error.publicMessage }] };
  }
};

/** What the caller's token may do; what is not listed is refused by whoever answers it. */
const listFor = async ({ auth }: McpPorts, request: Request): Promise<ServerTool<McpPorts>[]> => {
  const principal = await findSignedIn(auth, request);
  return TOOLS.filter(({ isOffered }) => isOffered(principal));
};

/** A server of its own for each request: it knows who asks. */
const createServer = async (ports: McpPorts, request: Request, onBug: (error: unknown) => void) => {
  const { Server } = await import("@modelcontextprotocol/server");
  const server = new Server({ name: "nightshift", version: readVersion() }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async () => ({
    tools: (await listFor(ports, request)).map(describeTool),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    try {
      return await callTool(ports, request, { name: params.name, input: params.arguments ?? {} });
    } catch (error) {
      onBug(error); // the SDK would tell it to the caller, and nobody else
      throw error;
    }
  });
  return server;
};

/** The years before 2026-07-28, without sessions: one JSON answer to one message. */
const answerOlder = async (server: Server, request: Request): Promise<Response> => {
  const { WebStandardStreamableHTTPServerTransport } = await import("@modelcontextprotocol/server");
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request);
  } finally {
    await server.close();
  }
};

/**
 * Answers one MCP message over streamable HTTP: that of 2026-07-28, in which each request stands for itself, and that
 * of the years before. The SDK is loaded by the first one, so that a server nobody speaks MCP to starts without it.
 */
export const answerMcp = async (ports: McpPorts, request: Request): Promise<Response> => {
  const { createMcpHandler, isLegacyRequest } = await import("@modelcontextprotocol/server");
  let bug: { error: unknown } | undefined;
  const make = () => createServer(ports, request, (error) => (bug = { error }));
  const handler = createMcpHandler(make, { legacy: "reject" });
  try {
    const answer = (await isLegacyRequest(request))
      ? await answerOlder(await make(), request)
      : await handler.fetch(request);
    if (bug) throw bug.error;
    return answer;
  } finally {
    await handler.close();
  }
};
