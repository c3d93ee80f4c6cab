import { treaty, type Treaty } from "@elysiajs/eden";
import type { App } from "../../app.ts";
import { sessionHeaders } from "./session.ts";

/** An answer that is no success, with the words of its problem document. */
export class ApiError extends Error {
  readonly status: number;
  readonly faults: string[];

  constructor(status: number, message: string, faults: string[]) {
    super(message);
    this.status = status;
    this.faults = faults;
  }
}

type Problem = { error?: string; errors?: { message: string }[] };

/** That no answer came at all, and why. */
const lost = (): ApiError =>
  new ApiError(
    0,
    navigator.onLine
      ? "The server does not answer. Check that it is running, then try again."
      : "This device is offline. Try again once it has a network.",
    [],
  );

/** What a problem document says, or the bare status where there is none. */
const toApiError = (status: number, problem: unknown): ApiError => {
  if (status === 0) return lost();
  const { error, errors = [] } = (typeof problem === "object" ? (problem ?? {}) : {}) as Problem;
  return new ApiError(
    status,
    error ?? `The server answered ${status}`,
    errors.map(({ message }) => message),
  );
};

/** Told when the server no longer knows the session: it ran out, or its token was revoked. */
export const SESSION_ENDED = "nightshift-session-ended";

/** An answer that is no success, as an error; the whole page learns of a session that has ended. */
export const refuse = (status: number, problem: unknown): ApiError => {
  if (status === 401) dispatchEvent(new Event(SESSION_ENDED));
  return toApiError(status, problem);
};

/** Every route of the server as a method; what each takes and answers is the type of the app itself. */
type Server = Treaty.Create<App>;
type Reply = { data: unknown; error: { value: unknown } | null; response?: Response };
type AnswerOf<R extends Reply> = NonNullable<R["data"]>;

const ask = async <R extends Reply>(
  headers: () => Record<string, string>,
  request: (server: Server) => Promise<R>,
  refused: typeof refuse,
): Promise<AnswerOf<R>> => {
  const server = treaty<App>(location.origin, {
    parseDate: false,
    fetch: { credentials: "same-origin" },
    headers,
  });
  const { data, error, response } = await request(server);
  if (!response) throw lost();
  if (error) throw refused(response.status, error.value);
  return data as AnswerOf<R>;
};

/** A name or id as a part of a path. */
export const inPath = (part: string): string => encodeURIComponent(part);

/**
 * One call of the server's API with the session. A part of a path is given as an object of that one key: Eden takes an
 * object of more as a body. @throws ApiError
 */
export const call = <R extends Reply>(request: (server: Server) => Promise<R>): Promise<AnswerOf<R>> =>
  ask(sessionHeaders, request, refuse);

/** The same with a token besides: a wrong one says nothing of the session. @throws ApiError */
export const callWithToken = <R extends Reply>(
  token: string,
  request: (server: Server) => Promise<R>,
): Promise<AnswerOf<R>> =>
  ask(() => ({ ...sessionHeaders(), authorization: `Bearer ${token}` }), request, toApiError);

/** What a path answers as it comes, where that is no part of the API or no JSON document. @throws ApiError */
export const open = async (
  path: string,
  { headers = {}, signal }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> => {
  const response = await fetch(path, {
    credentials: "same-origin",
    headers: { ...sessionHeaders(), ...headers },
    ...(signal ? { signal } : {}),
  }).catch(() => {
    throw lost();
  });
  if (!response.ok) throw refuse(response.status, await response.json().catch(() => undefined));
  return response;
};

/** Saves an answer as a file; a plain link could not carry the session. @throws ApiError */
export const saveAs = async (path: string, name: string): Promise<void> => {
  const url = URL.createObjectURL(await (await open(path)).blob());
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
};

type Answer<Method extends (...request: never[]) => Promise<Reply>> = AnswerOf<Awaited<ReturnType<Method>>>;
/** What a token may do. */
export type Action = Me["actions"][number];
type SiteRoutes = ReturnType<Server["api"]["sites"]>;

export type Me = Answer<Server["api"]["me"]["get"]>;
export type SiteList = Answer<Server["api"]["sites"]["get"]>;
export type Limits = SiteList["limits"];
export type Site = Answer<SiteRoutes["get"]>;
export type DeploymentSummary = Answer<SiteRoutes["deployments"]["get"]>["deployments"][number];
type NewDeployment = Answer<SiteRoutes["deployments"]["post"]>;
/** What a dry run answers. */
export type Planned = Extract<NewDeployment, { dryRun: boolean }>;
export type Made = Exclude<NewDeployment, Planned>;
export type Changes = Made["plan"];
export type Missing = Made["missing"][number];
export type LogVerdict = Answer<Server["api"]["security-log"]["verify"]["get"]>;
export type Token = Answer<Server["api"]["tokens"]["get"]>["tokens"][number];
export type QueueOverview = Answer<Server["api"]["queue"]["get"]>;
export type Task = QueueOverview["tasks"][number];
export type QueueEvent = Answer<ReturnType<Server["api"]["queue"]>["get"]>["events"][number];
export type Overview = Answer<Server["api"]["night"]["get"]>;
export type RunDetail = Answer<ReturnType<Server["api"]["night"]["runs"]>["get"]>;
/** Of what is asked of a worker. */
export type Wanted = Parameters<ReturnType<Server["api"]["night"]["runs"]>["commands"]["post"]>[0];
export type Learning = Answer<ReturnType<Server["learning"]>["get"]>;
export type Candidate = Answer<Server["inject"]["trace"]["post"]>["candidates"][number];

/** Whether the signed-in token may do something; who may steer workers may watch them. */
export const may = ({ actions }: Me, action: Action): boolean =>
  actions.includes(action) || actions.includes("admin") || (action === "watch" && actions.includes("steer"));
