import { AppError } from "../../core/errors.ts";
import { authenticate, type AuthPorts, type Principal } from "../auth/authenticate.ts";
import { isSecret } from "../auth/token.ts";
import { getRequestInfo, setRequestInfo } from "../http/request-info.ts";
import { securityEventOf } from "../security-log/events.ts";
import type { SecurityLog } from "../security-log/recorder.ts";

export type ApiSide = {
  auth: AuthPorts;
  securityLog: SecurityLog;
  /** the whole control API */
  handle: (request: Request) => Promise<Response>;
};

/** What is sent: JSON, or a file's bytes. */
type Sent = { json?: unknown; bytes?: Uint8Array<ArrayBuffer> };

/** Who asks, by a token. @throws AppError `unauthorized`; of a key `forbidden`, it is no token */
export const requireToken = (auth: AuthPorts, request: Request): Promise<Principal> => {
  const bearer = /^bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (bearer !== undefined && !isSecret(bearer))
    throw new AppError("forbidden", "A key of the memory may not do this: use a token of the server");
  return authenticate(auth, request);
};

/**
 * Asks the server's own API as the caller, so that a tool may do what its caller's token may and the security log
 * says it as of any other request.
 * @throws AppError with what the API refused it for
 */
export const askApi = async <T>(
  { handle, securityLog }: ApiSide,
  from: Request,
  { method, path, json, bytes }: { method: string; path: string } & Sent,
): Promise<T> => {
  const headers = new Headers();
  const authorization = from.headers.get("authorization");
  if (authorization !== null) headers.set("authorization", authorization);
  if (json !== undefined) headers.set("content-type", "application/json");
  if (bytes !== undefined) headers.set("content-length", String(bytes.byteLength));
  const body = json === undefined ? (bytes ?? null) : JSON.stringify(json);
  const request = new Request(new URL(path, from.url), { method, headers, body, signal: from.signal });
  const info = { ...getRequestInfo(from) };
  setRequestInfo(request, info);
  const response = await handle(request);
  const event = securityEventOf(request, info, response.status);
  if (event) await securityLog.note(event);
  const answer = (await response.json()) as T & { detail?: string };
  if (!response.ok) throw new AppError(codeOf(response.status), answer.detail ?? `HTTP ${response.status}`);
  return answer;
};

const codeOf = (status: number): ConstructorParameters<typeof AppError>[0] => {
  if (status >= 500) return "unavailable";
  if (status === 401) return "unauthorized";
  if (status === 403) return "forbidden";
  return status === 404 ? "not-found" : "bad-data";
};
