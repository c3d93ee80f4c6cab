import { bootstrapScript } from "./bootstrap-script.ts";
import { MAX_RESPONSE_BYTES } from "./call-tool.ts";
import { checkBytes, checkSelector, DEFAULT_RESULT_SELECTOR } from "./companion.ts";
import { createProblems, refuse, type Problems } from "./compile-problems.ts";
import { WebMcpCompileError } from "./errors.ts";
import { readEnabled } from "./compile-operation.ts";
import { compileTools } from "./generate-tools.ts";
import { isObject, own } from "./json.ts";
import { describeTool } from "./manifest.ts";
import { listOperations } from "./operations.ts";
import { readOrigin } from "./origin.ts";
import type { GeneratedTool, OpenApiDocument } from "./types.ts";

export type StaticWebMcpOptions = {
  /** Where the API is: an https origin without credentials or path. */
  apiOrigin: string;
  /** The largest answer that is read, in bytes. Default 262144. */
  maxResponseBytes?: number;
  /** The element of the page that shows the last result. Default `#webmcp-result`. */
  resultSelector?: string;
};

/** The texts of two files: a manifest of the tools and the module that registers them. */
export type StaticWebMcp = { manifest: string; bootstrap: string };

/**
 * Makes the files that give a static site the public reads of an API as tools, without a server of its own.
 * @throws WebMcpCompileError when an enabled operation is not a GET, needs credentials or is not supported;
 * TypeError for a wrong option.
 */
export const generateStaticWebMcp = (
  document: OpenApiDocument,
  options: StaticWebMcpOptions,
): StaticWebMcp => {
  const apiOrigin = checkApiOrigin(options.apiOrigin);
  const maxResponseBytes = checkBytes(options.maxResponseBytes ?? MAX_RESPONSE_BYTES, "maxResponseBytes");
  const resultSelector = checkSelector(options.resultSelector ?? DEFAULT_RESULT_SELECTOR);
  const problems = createProblems();
  const tools = compileTools(document, problems);
  checkPublicReads(document, problems);
  if (problems.list.length > 0) throw new WebMcpCompileError(problems.list);
  const manifest = `${JSON.stringify({ apiOrigin, tools: tools.map(describeTool) }, null, 2)}\n`;
  const bootstrap = bootstrapScript({
    kind: "static",
    tools: tools.map((tool) => ({ ...describeTool(tool), operation: staticOperation(tool) })),
    apiOrigin,
    maxResponseBytes,
    resultSelector,
  });
  return { manifest, bootstrap };
};

const staticOperation = ({ operation: { path, pathParameters, queryParameters } }: GeneratedTool) => ({
  path,
  pathParameters,
  queryParameters,
});

const checkApiOrigin = (text: string): string => {
  const origin = readOrigin(text, ["https:"]);
  if (origin === undefined)
    throw new TypeError(
      `apiOrigin must be like https://api.example.com, without path or credentials: ${text}`,
    );
  return origin;
};

const checkPublicReads = (document: OpenApiDocument, problems: Problems): void => {
  for (const { method, path, pointer, operation } of listOperations(document, createProblems())) {
    if (readEnabled(operation) === false) continue;
    const mine: Problems = { ...problems, operation: `${method} ${path}` };
    if (method !== "GET")
      refuse(mine, {
        pointer,
        rule: "static-method",
        message: "a static site offers reads only",
        fix: "Disable the operation for the static build, or use createWebMcpCompanion",
      });
    const security = own(operation, "security") ?? own(document, "security");
    if (security !== undefined && !isPublic(security))
      refuse(mine, {
        pointer: own(operation, "security") === undefined ? "/security" : `${pointer}/security`,
        rule: "static-security",
        message: "the operation needs credentials, and a static site has none to give",
        fix: "Declare security: [] on the operation if it is public",
      });
  }
};

/** OpenAPI: no requirement at all, or one alternative that requires nothing. */
const isPublic = (security: unknown): boolean =>
  Array.isArray(security) &&
  (security.length === 0 ||
    security.some((requirement: unknown) => isObject(requirement) && Object.keys(requirement).length === 0));
