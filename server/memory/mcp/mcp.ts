import type { CallToolResult, Server, Tool } from "@modelcontextprotocol/server";
import { plural } from "../../../core/plural.ts";
import { AppError } from "../../../core/errors.ts";
import { type Static, type TSchema, Type, Value } from "../../../core/schema.ts";
import { readVersion } from "../../../core/version.ts";
import { authorize, type Need } from "../../auth/memory-access.ts";
import { answerInject, answerLearn, answerOutcome, type MemoryPorts } from "../answers/ask.ts";
import { LearnBody } from "../answers/schemas.ts";

type MemoryTool = {
  name: string;
  description: string;
  need: Need;
  input: TSchema;
  readOnly: boolean;
  run: (ports: MemoryPorts, request: Request, input: unknown) => Promise<string>;
};

const tool = <T extends TSchema>(declared: {
  name: string;
  description: string;
  need: Need;
  input: T;
  readOnly: boolean;
  run: (
    context: { ports: MemoryPorts; access: Awaited<ReturnType<typeof authorize>> },
    input: Static<T>,
  ) => Promise<string>;
}): MemoryTool => ({
  ...declared,
  run: async (ports, request, input) => {
    const access = await authorize(ports.access, request, declared.need);
    const faults = [...Value.Errors(declared.input, input)].map(({ path, message }) => ({ path, message }));
    if (faults.length > 0)
      throw new AppError(
        "bad-data",
        faults.map(({ path, message }) => `${path || "/"}: ${message}`).join("; "),
        { faults },
      );
    return declared.run({ ports, access }, input);
  },
});

const TOOLS: readonly MemoryTool[] = [
  tool({
    name: "recall",
    description:
      "Ask once, before you start a task: what earlier sessions learned that fits it. Returns notes to check, not instructions, and a receipt for `outcome`.",
    need: "read",
    readOnly: true,
    input: Type.Object({
      context: Type.String({
        minLength: 1,
        maxLength: 200_000,
        description: "what you are about to do, with names, files and error messages",
      }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
      project: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
    }),
    run: async ({ ports, access }, input) => {
      const { prompt, receipt, abstained } = await answerInject(ports, access, {
        ...input,
        format: "prompt",
      });
      return prompt === ""
        ? `Nothing fits: ${abstained ?? "no learning"}.`
        : `${prompt}\nreceipt: ${receipt}`;
    },
  }),
  tool({
    name: "learn",
    description:
      "Keep something the next session should know: when `trigger` happens, do `learning`. For something that did not work use type `failure`, with the `alternative` that works.",
    need: "write",
    readOnly: false,
    input: LearnBody,
    run: async ({ ports, access }, body) => {
      const { id, status } = await answerLearn(ports, access, { body });
      return `${status} as ${id}`;
    },
  }),
  tool({
    name: "outcome",
    description:
      "Say how the task went that a receipt of `recall` belongs to, so that what helped ranks higher.",
    need: "write",
    readOnly: false,
    input: Type.Object({
      receipt: Type.String({ minLength: 1, maxLength: 3000 }),
      outcome: Type.Union([Type.Literal("pass"), Type.Literal("fail")]),
    }),
    run: async ({ ports, access }, input) => {
      const { credited } = await answerOutcome(ports, access, input);
      return `credited ${plural(credited.length, "learning")}`;
    },
  }),
];

const describeTool = ({ name, description, input, readOnly }: MemoryTool): Tool => ({
  name,
  description,
  // A plain copy: TypeBox marks its schemas with symbols.
  inputSchema: JSON.parse(JSON.stringify(input)) as Tool["inputSchema"],
  annotations: {
    readOnlyHint: readOnly,
    destructiveHint: false,
    idempotentHint: readOnly,
    openWorldHint: false,
  },
});

const callTool = async (
  ports: MemoryPorts,
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

/** A server of its own for each request: it knows who asks. */
const createServer = async (ports: MemoryPorts, request: Request, onBug: (error: unknown) => void) => {
  const { Server } = await import("@modelcontextprotocol/server");
  const server = new Server({ name: "nightshift", version: readVersion() }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS.map(describeTool) }));
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
export const answerMcp = async (ports: MemoryPorts, request: Request): Promise<Response> => {
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
