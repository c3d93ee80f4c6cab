import { AppError } from "../../core/errors.ts";
import { authenticateFirst } from "./authenticate-first.ts";
import type { Locality } from "./local-request.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { getRequestInfo } from "../http/request-info.ts";
import { oncePerRequest } from "./once-per-request.ts";
import {
  type CookieRules,
  readSession,
  SESSION_HEADER,
  sessionDigest,
  type SessionHalves,
} from "./session-cookie.ts";
import { isSecret, secretDigest, type Token, type TokenAction } from "./token.ts";
import type { TokenStore } from "./token-store.ts";

/** Who sends a request, and what that one may do. */
export type Principal = {
  tokenId: string;
  label: string;
  site: string | undefined;
  actions: readonly TokenAction[];
  expiresAt: number | undefined;
  via: "token" | "session";
};

export type AuthPorts = {
  tokens: TokenStore;
  /** counts refused credentials, by address */
  failures: RateLimiter;
  cookies: CookieRules;
  locality: Locality;
  /** the file with the token of whoever runs the server */
  adminTokenFile: string;
  now: () => number;
};

const TOUCH_MS = 60_000;

const toPrincipal = (token: Token, via: Principal["via"]): Principal => ({
  tokenId: token.id,
  label: token.label,
  site: token.site,
  actions: token.actions,
  expiresAt: token.expiresAt,
  via,
});

const hasExpired = ({ expiresAt }: Token, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now;

const refuse = async ({ failures }: AuthPorts, request: Request, message: string): Promise<never> => {
  // Good credentials are never held up by somebody's bad ones from the same address.
  await failures.take(getRequestInfo(request).clientAddress ?? "unknown");
  throw new AppError("unauthorized", message);
};

/** A database that only reads at present is no reason to refuse somebody who only reads. */
const noteUse = async (tokens: TokenStore, id: string, at: number): Promise<void> => {
  try {
    await tokens.touch(id, at);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
  }
};

/** The token that a secret names, if it is current; its use is noted once a minute. */
export const checkSecret = async (ports: AuthPorts, request: Request, secret: string): Promise<Token> => {
  const { tokens, now } = ports;
  const token = isSecret(secret) ? await tokens.findByDigest(secretDigest(secret)) : undefined;
  if (!token) return refuse(ports, request, "That token isn't valid on this server");
  if (hasExpired(token, now())) return refuse(ports, request, `The token "${token.label}" has expired`);
  if ((token.lastUsedAt ?? 0) + TOUCH_MS < now()) await noteUse(tokens, token.id, now());
  return token;
};

const checkSession = async (
  ports: AuthPorts,
  request: Request,
  session: SessionHalves,
): Promise<Principal> => {
  const token = await ports.tokens.findBySession(sessionDigest(session), ports.now());
  if (!token || hasExpired(token, ports.now()))
    return refuse(ports, request, "The session has ended; sign in again");
  const mutates = request.method !== "GET" && request.method !== "HEAD";
  // The server's handler compares an Origin that is there; with a cookie it must be there.
  if (mutates && request.headers.get("origin") === null)
    throw new AppError("forbidden", "Same-origin request required: a change with a session needs an Origin");
  return toPrincipal(token, "session");
};

/** The session that a request carries, whether it is current or not. */
export const findSession = ({ cookies }: AuthPorts, request: Request): SessionHalves | undefined =>
  readSession(
    request.headers.get(SESSION_HEADER) ?? getRequestInfo(request).sessionProof,
    request.headers.get("cookie"),
    cookies,
  );

const readPrincipal = async (ports: AuthPorts, request: Request): Promise<Principal> => {
  const header = request.headers.get("authorization");
  if (header !== null) {
    const secret = /^bearer +(\S+) *$/i.exec(header)?.[1];
    if (secret === undefined) throw new AppError("unauthorized", "Authorization must be: Bearer <token>");
    return known(request, toPrincipal(await checkSecret(ports, request, secret), "token"));
  }
  const session = findSession(ports, request);
  if (session !== undefined) return known(request, await checkSession(ports, request, session));
  throw new AppError("unauthorized", "Authentication required: send Authorization: Bearer <token>");
};

const known = (request: Request, principal: Principal): Principal => {
  getRequestInfo(request).principal = nameToken({ id: principal.tokenId, label: principal.label });
  return principal;
};

/** A token as logs name it. */
export const nameToken = ({ id, label }: Pick<Token, "id" | "label">): string => `token ${label} (${id})`;

/** Who sends a request. @throws AppError `unauthorized` without valid credentials, `rate-limited` after many */
export const authenticate = oncePerRequest(readPrincipal);

/** The same of a request that brings a session or a token of ours; undefined of any other. */
export const findSignedIn = async (ports: AuthPorts, request: Request): Promise<Principal | undefined> => {
  const header = request.headers.get("authorization");
  const bearer = /^bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  const isOurs = header === null ? findSession(ports, request) !== undefined : isSecret(bearer ?? "");
  return isOurs ? authenticate(ports, request) : undefined;
};

/** Options of a route for those who signed in: others are refused before its input is looked at. */
export const signedInFirst = (ports: AuthPorts) =>
  authenticateFirst((request) => authenticate(ports, request));

/** Whether somebody may see a site at all. */
export const maySee = ({ site }: Pick<Principal, "site">, name: string): boolean =>
  site === undefined || site === name;

/** @throws AppError `forbidden` that says what the token may do */
export const requireAction = (principal: Principal, action: TokenAction, site?: string): void => {
  const { actions, label } = principal;
  if (!actions.includes(action) && !actions.includes("admin"))
    throw new AppError(
      "forbidden",
      `The token "${label}" may not ${action}; it may ${actions.length > 0 ? actions.join(", ") : "only read"}`,
    );
  if (site === undefined ? principal.site !== undefined : !maySee(principal, site))
    throw new AppError(
      "forbidden",
      `The token "${label}" is for the site ${principal.site} only${site === undefined ? "" : `, not for ${site}`}`,
    );
};
