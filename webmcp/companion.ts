import { bootstrapScript } from "./bootstrap-script.ts";
import { callTool, refusal, type CallPorts } from "./call-tool.ts";
import { generateTools } from "./generate-tools.ts";
import { injectWebMcpBootstrap } from "./inject-bootstrap.ts";
import { describeTool } from "./manifest.ts";
import { readOriginTrialToken } from "./origin-trial.ts";
import type { GeneratedTool, OpenApiDocument } from "./types.ts";

export const DEFAULT_RESULT_SELECTOR = "#webmcp-result";
const DEFAULT_BASE_PATH = "/__companion";
const DEFAULT_MAX_INPUT_BYTES = 65_536;

export type WebMcpCompanionOptions = {
  /** The OpenAPI 3.1 document whose enabled operations become tools. */
  document: OpenApiDocument;
  /** The page that carries the tools; the bootstrap is added to its head. */
  renderPage: () => Response | Promise<Response>;
  /** Sends a validated read to your application and answers for it. The request is for this page's own origin. */
  dispatch: (request: Request, tool: GeneratedTool) => Response | Promise<Response>;
  /**
   * Receives a validated change and answers for it, usually with 202 and a pending approval. The only way a POST
   * or DELETE leaves; when it answers nothing, the call gets 409. Required when any tool changes data.
   */
  prepareWrite?: (
    request: Request,
    tool: GeneratedTool,
    input: Record<string, unknown>,
  ) => Response | undefined | Promise<Response | undefined>;
  /** Where the routes live. Default `/__companion`. */
  basePath?: string;
  /** The element of the page that shows the last result. Default `#webmcp-result`. */
  resultSelector?: string;
  /** The largest input of a call, in bytes. Default 65536. */
  maxInputBytes?: number;
  /** A token of a browser's origin trial, sent with the page: its visitors then need no flag while it is valid. */
  originTrialToken?: string;
};

export type WebMcpCompanion = {
  readonly tools: readonly GeneratedTool[];
  /** Answers the companion's own routes; undefined for every other path. */
  handle: (request: Request) => Promise<Response | undefined>;
};

/**
 * Serves the page, the manifest, the bootstrap and the calls of a document's tools.
 * @throws WebMcpCompileError when an enabled operation is not supported; TypeError for a missing or wrong option.
 */
export const createWebMcpCompanion = (options: WebMcpCompanionOptions): WebMcpCompanion => {
  const { renderPage, dispatch, prepareWrite } = options;
  const tools = generateTools(options.document);
  const writes = tools.filter((tool) => tool.operation.requiresApproval).map((tool) => tool.name);
  if (writes.length > 0 && prepareWrite === undefined)
    throw new TypeError(`prepareWrite is required: ${writes.join(", ")} change data`);
  const basePath = checkBasePath(options.basePath ?? DEFAULT_BASE_PATH);
  const resultSelector = checkSelector(options.resultSelector ?? DEFAULT_RESULT_SELECTOR);
  const maxInputBytes = checkBytes(options.maxInputBytes ?? DEFAULT_MAX_INPUT_BYTES, "maxInputBytes");
  const trial = options.originTrialToken;
  if (trial !== undefined) readOriginTrialToken(trial);
  const descriptors = tools.map(describeTool);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const manifest = JSON.stringify({ tools: descriptors });
  const bootstrap = bootstrapScript({ kind: "companion", tools: descriptors, basePath, resultSelector });
  const ports: CallPorts = { dispatch, prepareWrite, maxInputBytes };

  const handle = async (request: Request): Promise<Response | undefined> => {
    const { pathname } = new URL(request.url);
    if (pathname !== basePath && !pathname.startsWith(`${basePath}/`)) return undefined;
    const route = pathname.slice(basePath.length);
    if (route.startsWith("/call/")) {
      if (request.method !== "POST") return notAllowed("POST");
      return callTool(request, byName.get(decodeName(route.slice("/call/".length))), ports);
    }
    const answer = readRoutes[route];
    if (answer === undefined) return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") return notAllowed("GET, HEAD");
    const response = await answer();
    return request.method === "HEAD" ? new Response(null, response) : response;
  };

  const page = async (): Promise<Response> => {
    const response = await injectWebMcpBootstrap(await renderPage(), `${basePath}/bootstrap.js`);
    if (trial === undefined) return response;
    const headers = new Headers(response.headers);
    headers.append("origin-trial", trial);
    return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
  };
  const readRoutes: Readonly<Record<string, () => Response | Promise<Response>>> = Object.assign(
    Object.create(null),
    {
      "": page,
      "/": page,
      "/manifest": () => asset(manifest, "application/json; charset=utf-8"),
      "/bootstrap.js": () => asset(bootstrap, "text/javascript; charset=utf-8"),
    },
  );
  return { tools, handle };
};

/** The result selector of a bootstrap; kept apart from CSS injection by being a value, not a rule. */
export const checkSelector = (selector: string): string => {
  if (typeof selector !== "string" || selector.trim() === "")
    throw new TypeError("resultSelector must be a CSS selector");
  return selector;
};

export const checkBytes = (bytes: number, name: string): number => {
  if (!Number.isSafeInteger(bytes) || bytes <= 0)
    throw new TypeError(`${name} must be a whole number above 0`);
  return bytes;
};

const checkBasePath = (path: string): string => {
  const trimmed = `/${path}`.replace(/^\/+/, "/").replace(/\/+$/, "");
  const url = new URL(trimmed, "https://companion.invalid");
  if (url.pathname !== (trimmed || "/") || url.search !== "" || url.hash !== "")
    throw new TypeError(`basePath must be a plain path such as ${DEFAULT_BASE_PATH}: ${path}`);
  return trimmed;
};

const decodeName = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
};

const notAllowed = (allow: string): Response => {
  const response = refusal(405, "method_not_allowed", `use ${allow}`);
  response.headers.set("allow", allow);
  return response;
};

const asset = (text: string, contentType: string): Response =>
  new Response(text, {
    headers: {
      "content-type": contentType,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    },
  });
