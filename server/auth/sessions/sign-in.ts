import { AppError } from "../../../core/errors.ts";
import { readFileIfThere } from "../../../core/read-file.ts";
import { getRequestInfo } from "../../http/request-info.ts";
import { type AuthPorts, checkSecret, findSession, nameToken } from "../authenticate.ts";
import { newSession, SESSION_SECONDS, sessionCookie, sessionDigest } from "../session-cookie.ts";
import type { Token } from "../token.ts";

/** A session that has begun: what the page keeps, and the cookie that goes with it. */
export type Begun = { token: Token; proof: string; expiresAt: number; setCookie: string };

/** Signs a browser in with a token. @throws AppError `unauthorized`, `rate-limited` */
export const signIn = async (ports: AuthPorts, request: Request, text: string): Promise<Begun> => {
  const { tokens, cookies, now } = ports;
  const secret = text.trim();
  const token = await checkSecret(ports, request, secret).catch((error: unknown) => {
    throw isUnknown(error) && isInFile(ports, secret) ? deadFile(ports, error) : error;
  });
  const session = newSession();
  const at = now();
  const expiresAt = Math.min(at + SESSION_SECONDS * 1000, token.expiresAt ?? Number.POSITIVE_INFINITY);
  await tokens.addSession({ sha256: sessionDigest(session), token: token.id, expiresAt }, at);
  getRequestInfo(request).principal = nameToken(token);
  const setCookie = sessionCookie(session, cookies, Math.floor((expiresAt - at) / 1000));
  return { token, proof: session.proof, expiresAt, setCookie };
};

const isUnknown = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === "unauthorized";

const isInFile = ({ adminTokenFile }: AuthPorts, secret: string): boolean =>
  secret !== "" && readFileIfThere(adminTokenFile)?.trim() === secret;

/** Whoever has the text of the file may know where it is. */
const deadFile = ({ adminTokenFile }: AuthPorts, cause: AppError): AppError =>
  new AppError(
    "unauthorized",
    `${cause.message}: ${adminTokenFile} holds a token that was revoked or has expired; restart the server and it writes a new one`,
    { cause },
  );

/** Ends the session that a request carries; @returns the cookie that is no more. */
export const signOut = async (ports: AuthPorts, request: Request): Promise<string | undefined> => {
  const session = findSession(ports, request);
  if (!session) return undefined;
  await ports.tokens.removeSession(sessionDigest(session));
  return sessionCookie({ ...session, cookie: "" }, ports.cookies, 0);
};
