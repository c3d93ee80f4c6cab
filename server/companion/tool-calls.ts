import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../../core/errors.ts";
import {
  createWebMcpCompanion,
  type GeneratedTool,
  type OpenApiDocument,
  type WebMcpCompanion,
} from "../../webmcp/index.ts";
import { authenticate, type AuthPorts, type Principal } from "../auth/authenticate.ts";
import { SESSION_HEADER } from "../auth/session-cookie.ts";
import { problemResponse } from "../http/problem.ts";
import { getRequestInfo, setRequestInfo } from "../http/request-info.ts";
import { companionDocument } from "./companion-document.ts";
import { type ApprovalPorts, holdRequest } from "./decide.ts";
import { toHeldRequest } from "./held-request.ts";
import { BASE_PATH } from "./layout.ts";
import { outcomeOf } from "./outcome.ts";

export type CompanionPorts = ApprovalPorts & {
  auth: AuthPorts;
  /** the key under which a publisher who may do everything also uses the memory */
  memoryKey: string;
  /** a browser's origin-trial token, for the page that offers the tools */
  originTrialToken: string | undefined;
  /** the server's OpenAPI document */
  document: () => Record<string, unknown>;
  /** the whole control API */
  handle: (request: Request) => Promise<Response>;
};

/** Who calls: whose credentials the tool's request carries. */
export type Caller = { request: Request; principal: Principal };

export type ToolCalls = {
  /** The toolkit's companion on the server's own document. */
  companion: () => WebMcpCompanion;
  /** @throws AppError `not-found` */
  findTool: (name: string) => GeneratedTool;
  /** Sends a tool's request to the API as its caller. */
  send: (request: Request, tool: string, caller: Caller) => Promise<Response>;
  /** Answers a browser agent's call. @throws AppError `unauthorized` */
  call: (request: Request) => Promise<Response | undefined>;
};

type Made = { companion: WebMcpCompanion; memoryTools: ReadonlySet<string> };

/** The agent's side: reads are answered at once, changes are held for a person. */
export const createToolCalls = (ports: CompanionPorts): ToolCalls => {
  const callers = new AsyncLocalStorage<Caller>();
  const caller = (): Caller => {
    const current = callers.getStore();
    if (current === undefined) throw new Error("a tool was called outside of a request");
    return current;
  };
  const send: ToolCalls["send"] = (request, tool, from) => {
    const headers = withCredentials(request, from, { isMemory: get().memoryTools.has(tool), ports });
    const outbound = new Request(request, { headers });
    setRequestInfo(outbound, { ...getRequestInfo(from.request) });
    return ports.handle(outbound);
  };
  // Made at the first use: the document is complete only when every feature has added its routes.
  let made: Made | undefined;
  const get = (): Made => {
    made ??= make(companionDocument(ports.document()), {
      dispatch: (request, tool) => send(request, tool.name, caller()),
      prepareWrite: (request, tool) => prepare(ports, caller().principal, { request, tool }),
    });
    return made;
  };
  return {
    companion: () => get().companion,
    findTool: (name) => {
      const tool = get().companion.tools.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new AppError("not-found", `There is no tool named ${name.slice(0, 80)}`);
      return tool;
    },
    send,
    call: async (request) => {
      const principal = await authenticate(ports.auth, request);
      return callers.run({ request, principal }, () => get().companion.handle(request));
    },
  };
};

/** Nothing of the change is sent: it waits for a person. */
const prepare = async (
  ports: CompanionPorts,
  principal: Principal,
  { request, tool }: { request: Request; tool: GeneratedTool },
): Promise<Response> => {
  try {
    const approval = await holdRequest(ports, principal, await toHeldRequest(request, tool));
    ports.tell?.(approval);
    return outcomeOf(approval);
  } catch (error) {
    if (error instanceof AppError) return problemResponse(error);
    throw error;
  }
};

type Sides = Pick<Parameters<typeof createWebMcpCompanion>[0], "dispatch" | "prepareWrite">;

const make = (document: OpenApiDocument, sides: Sides): Made => {
  const companion = createWebMcpCompanion({
    document,
    basePath: BASE_PATH,
    // The page depends on who looks at it, so the routes answer it before the toolkit is asked.
    renderPage: () => new Response(null, { status: 404 }),
    ...sides,
  });
  const isMemory = ({ operation: { method, path } }: GeneratedTool): boolean => {
    const item = document.paths?.[path] as Record<string, { tags?: string[] }> | undefined;
    return item?.[method.toLowerCase()]?.tags?.includes("memory") === true;
  };
  return { companion, memoryTools: new Set(companion.tools.filter(isMemory).map(({ name }) => name)) };
};

/** The memory knows keys and no sessions: who may do everything here uses it with the server's own key. */
const withCredentials = (
  request: Request,
  { request: from, principal }: Caller,
  { isMemory, ports }: { isMemory: boolean; ports: CompanionPorts },
): Headers => {
  const headers = new Headers(request.headers);
  if (isMemory) {
    if (principal.actions.includes("admin")) headers.set("authorization", `Bearer ${ports.memoryKey}`);
    return headers;
  }
  for (const name of ["authorization", "cookie", "origin", SESSION_HEADER]) {
    const value = from.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
};
