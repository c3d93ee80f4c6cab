import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { runChild } from "../../core/child-process.ts";
import { errorText } from "../../core/errors.ts";
import type { Environment } from "../../core/paths.ts";
import { redactSecrets } from "../../core/redaction.ts";
import { Value } from "../../core/schema.ts";
import { builtProgram, readVersion } from "../../core/version.ts";
import { type McpTool, type Permission, TOOLS } from "./tools.ts";

type Ports = { env: Environment; cwd: string; signal: AbortSignal; allowed: ReadonlySet<Permission> };

const TIMEOUT_MS = 10 * 60_000;

const describeTool = ({
  name,
  title,
  description,
  input,
  permission,
  isDestructive = false,
}: McpTool): Tool => ({
  name,
  title,
  description,
  // A plain copy: TypeBox marks its schemas with symbols.
  inputSchema: JSON.parse(JSON.stringify(input)) as Tool["inputSchema"],
  annotations: {
    readOnlyHint: permission === undefined,
    destructiveHint: isDestructive,
    openWorldHint: permission === "publish",
  },
});

const answer = (text: string, isError = false): CallToolResult => ({
  ...(isError ? { isError } : {}),
  content: [{ type: "text", text: redactSecrets(text) }],
});

const call = async ({ env, cwd, signal }: Ports, tool: McpTool, input: unknown): Promise<CallToolResult> => {
  const faults = [...Value.Errors(tool.input, input)].map(
    ({ path, message }) => `${path || "/"}: ${message}`,
  );
  if (faults.length > 0) return answer(faults.join("; "), true);
  const [program, ...args] = tool.command(input as never);
  try {
    const { exitCode, stdout, stderr } = await runChild({
      command: process.execPath,
      args: [builtProgram(`scripts/${program}.js`), ...args],
      cwd,
      env,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    // A command says what is wrong on standard error, and what it found on standard output also when that is bad news.
    return exitCode === 0 ? answer(stdout.trim()) : answer(`${stdout}${stderr}`.trim(), true);
  } catch (error) {
    return answer(errorText(error), true);
  }
};

/** Speaks MCP of both eras on standard input and output until the client closes it. */
export const serveMcp = async (ports: Ports): Promise<void> => {
  const [{ Server }, { serveStdio }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const tools = TOOLS.filter(({ permission }) => permission === undefined || ports.allowed.has(permission));
  const handle = serveStdio(() => {
    const server = new Server(
      { name: "nightshift", version: readVersion() },
      { capabilities: { tools: {} } },
    );
    server.setRequestHandler("tools/list", () => ({ tools: tools.map(describeTool) }));
    server.setRequestHandler("tools/call", async ({ params }) => {
      const tool = tools.find(({ name }) => name === params.name);
      if (tool) return call(ports, tool, params.arguments ?? {});
      const known = TOOLS.find(({ name }) => name === params.name);
      return known
        ? answer(
            `${params.name} was not allowed; a person starts: nightshift mcp --allow ${known.permission}`,
            true,
          )
        : answer(`there is no tool ${params.name}`, true);
    });
    return server;
  });
  await new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    ports.signal.addEventListener("abort", () => resolve());
  });
  await handle.close();
};
