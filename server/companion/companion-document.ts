import type { OpenApiDocument } from "../../webmcp/index.ts";
import { TOOL_EXTENSION, type ToolExtension } from "../route-docs.ts";

type Operation = Record<string, unknown> & { [TOOL_EXTENSION]?: ToolExtension };

/** The server's document as the companion reads it: a tool's own body stands where the route's wider one was. */
export const companionDocument = (document: Record<string, unknown>): OpenApiDocument => {
  const paths = (document["paths"] ?? {}) as Record<string, Record<string, Operation>>;
  const mapped = Object.entries(paths).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withToolBody(operation)])),
  ]);
  return { ...document, openapi: String(document["openapi"]), paths: Object.fromEntries(mapped) };
};

const withToolBody = (operation: Operation): Operation => {
  const tool = operation[TOOL_EXTENSION];
  if (tool === undefined) return operation;
  const { required, schema } = tool.body;
  return {
    ...operation,
    ...tool.flags,
    requestBody: { required, content: { "application/json": { schema } } },
  };
};
