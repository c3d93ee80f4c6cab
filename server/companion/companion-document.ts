import type { OpenApiDocument } from "../../webmcp/index.ts";
import { TOOL_EXTENSION, type ToolExtension } from "../http/route-docs.ts";

type Operation = Record<string, unknown> & { [TOOL_EXTENSION]?: ToolExtension };

/**
 * The server's document as the companion reads it: a tool's own body stands where the route's wider one was, and
 * a description begins with the summary, because an agent may be shown nothing else.
 */
export const companionDocument = (document: Record<string, unknown>): OpenApiDocument => {
  const paths = (document["paths"] ?? {}) as Record<string, Record<string, Operation>>;
  const mapped = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, asTool(operation)])),
  ]);
  return { ...document, openapi: String(document["openapi"]), paths: Object.fromEntries(mapped) };
};

const asTool = (operation: Operation): Operation => {
  const { summary, description, [TOOL_EXTENSION]: tool } = operation;
  const words = [summary, description].filter((text) => typeof text === "string");
  const described = { ...operation, description: words.join(". ") };
  if (tool === undefined) return described;
  const { required, schema } = tool.body;
  return {
    ...described,
    ...tool.flags,
    requestBody: { required, content: { "application/json": { schema } } },
  };
};
