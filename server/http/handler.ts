import { randomBytes } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import { DEFAULT_MAX_BODY_BYTES, limitBody, type BodyLimit } from "./body-limit.ts";
import { compressed } from "./compressed.ts";
import { discardUnread } from "./discard-body.ts";
import { checkOrigin, isControlHost, parseHost } from "./host-check.ts";
import type { Log } from "../../core/log.ts";
import type { Metrics } from "./metrics.ts";
import { plainAnswer } from "./plain-answer.ts";
import { type Problem, PROBLEM_TYPE, problemResponse, refusalResponse } from "./problem.ts";
import { setRequestInfo, type RequestInfo } from "./request-info.ts";

/** The whole server as a function; `clientAddress` reads the peer's address of this request's socket. */
export type Handler = (request: Request, clientAddress?: () => string | undefined) => MaybePromise<Response>;

/**
 * Answers requests for published sites, told apart by their host name; undefined means that the name is
 * no site's and the control API answers. Called before anything else, with the validated name.
 */
export type SitesHandler = (request: Request, hostname: string) => MaybePromise<Response> | undefined;

type MaybePromise<T> = T | Promise<T>;

export type HandlerPorts = {
  /** the control API; never throws */
  app: { handle: (request: Request) => Promise<Response> };
  sites?: SitesHandler;
  /** names beside `localhost` and address literals under which the control API answers */
  allowedHosts: readonly string[];
  bodyLimits: readonly BodyLimit[];
  metrics: Metrics;
  log: Log;
  /** told of every answer of the control API before it is sent, which waits for it */
  onAnswered?: (request: Request, info: RequestInfo, status: number) => Promise<void> | undefined;
  now: () => number;
};

const REQUEST_ID = /^[\w.:-]{1,64}$/;
const MAX_KNOWN_HOSTS = 1000;

export const createHandler = (ports: HandlerPorts): Handler => {
  const hosts = new Map<string, string | undefined>();
  const hostnameOf = (header: string): string | undefined => {
    if (hosts.has(header)) return hosts.get(header);
    if (hosts.size >= MAX_KNOWN_HOSTS) hosts.clear();
    const hostname = parseHost(header);
    hosts.set(header, hostname);
    return hostname;
  };

  return (request, clientAddress) => {
    const host = request.headers.get("host") ?? "";
    const hostname = hostnameOf(host);
    if (hostname === undefined)
      return problemResponse(new AppError("usage", `Invalid Host header "${host}"`));
    return (
      answerSite(ports, request, hostname) ??
      answerControl(ports, request, { host, hostname, clientAddress: clientAddress?.() })
    );
  };
};

/** What a site answers; whatever fails there, at once or later, is told to nobody but the log. */
const answerSite = (
  { sites, log }: HandlerPorts,
  request: Request,
  hostname: string,
): MaybePromise<Response> | undefined => {
  const fail = (error: unknown): Response => {
    log.error({ err: error }, "site failed");
    return problemResponse(new AppError("internal", "Internal error", { cause: error }));
  };
  try {
    const answer = sites?.(request, hostname);
    if (answer !== undefined && request.method !== "GET" && request.method !== "HEAD")
      return discardUnread(request)
        .then(() => answer)
        .catch(fail);
    return answer instanceof Promise ? answer.catch(fail) : answer;
  } catch (error) {
    return fail(error);
  }
};

const answerControl = async (
  ports: HandlerPorts,
  request: Request,
  { host, hostname, clientAddress }: { host: string; hostname: string; clientAddress: string | undefined },
): Promise<Response> => {
  const startedAt = ports.now();
  const given = request.headers.get("x-request-id");
  const info: RequestInfo = {
    id: given !== null && REQUEST_ID.test(given) ? given : randomBytes(8).toString("hex"),
    clientAddress,
    hostname,
  };
  const answer = await answerChecked(ports, request, { host, info });
  const response = await compressed(request, await asPage(request, answer));
  response.headers.set("x-request-id", info.id);
  response.headers.set("x-content-type-options", "nosniff");
  // What is answered belongs to who asked; only the application's own files may be kept, and say so.
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
  await ports.onAnswered?.(request, info, response.status);
  record(ports, request, { info, status: response.status, ms: ports.now() - startedAt });
  return response;
};

/** Whether a person goes there, by what the browser says of itself, else by what it wants first. */
const isVisit = ({ method, headers }: Request): boolean => {
  if (method !== "GET" && method !== "HEAD") return false;
  const destination = headers.get("sec-fetch-dest");
  return destination === null
    ? (headers.get("accept") ?? "").startsWith("text/html")
    : destination === "document";
};

/** A refusal in words for the person who sees it; programs get the problem document as it is. */
const asPage = async (request: Request, response: Response): Promise<Response> => {
  if (response.headers.get("content-type") !== PROBLEM_TYPE || !isVisit(request)) return response;
  const { title, detail } = (await response.json()) as Problem;
  const page = plainAnswer(
    response.status,
    { title, text: detail },
    { isHtml: true, method: request.method },
  );
  page.headers.set("cache-control", "no-store");
  return page;
};

const answerChecked = async (
  ports: HandlerPorts,
  request: Request,
  { host, info }: { host: string; info: RequestInfo },
): Promise<Response> => {
  let unread = request;
  try {
    if (!isControlHost(info.hostname, ports.allowedHosts))
      throw new AppError(
        "forbidden",
        `The API does not answer under the name "${info.hostname}"; add it to ALLOWED_HOSTS to allow it`,
      );
    checkOrigin(request, host);
    const path = new URL(request.url).pathname;
    const limited = limitBody(request, maxBytesFor(ports.bodyLimits, request.method, path));
    unread = limited;
    setRequestInfo(limited, info);
    return await ports.app.handle(limited);
  } catch (error) {
    if (error instanceof AppError) return refusalResponse(error, info);
    ports.log.error({ err: error, requestId: info.id }, "request failed");
    return refusalResponse(new AppError("internal", "Internal error", { cause: error }), info);
  } finally {
    await discardUnread(unread);
  }
};

const maxBytesFor = (limits: readonly BodyLimit[], method: string, path: string): number => {
  for (const limit of limits) {
    const maxBytes = limit(method, path);
    if (maxBytes !== undefined) return maxBytes;
  }
  return DEFAULT_MAX_BODY_BYTES;
};

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const record = (
  { metrics, log }: HandlerPorts,
  request: Request,
  { info, status, ms }: { info: RequestInfo; status: number; ms: number },
): void => {
  const method = METHODS.has(request.method) ? request.method : "other";
  const route = info.route ?? "none";
  metrics.count("http_requests_total", { method, route, status: String(status) });
  metrics.observe("http_request_seconds", { route }, ms / 1000);
  const why = info.why === undefined ? {} : { why: info.why };
  const line = { requestId: info.id, method, route, status, ms: Math.round(ms * 10) / 10, ...why };
  if (status >= 500) log.warn(line, "answered");
  else log.debug(line, "answered");
};
