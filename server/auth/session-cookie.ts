import { randomBytes } from "node:crypto";
import { secretDigest } from "./token.ts";

/** How the session cookie is written: over https it carries the `__Host-` prefix, which no sibling host can set. */
export type CookieRules = { isSecure: boolean };

export const SESSION_SECONDS = 8 * 3600;

/** Carries the page's half of a session: `<id>.<random>`. Only a script of this very origin can send it. */
export const SESSION_HEADER = "x-nightshift-session";

const PROOF = /^([0-9a-f]{16})\.[\w-]{43}$/;

/**
 * A session has two halves. Browsers send a cookie to every port of a host name, so the cookie alone proves
 * nothing: the page keeps a second secret in its own origin's storage and sends it with each request. The id in
 * the cookie's name keeps the sessions of two servers apart, and is what nobody who plants cookies can guess.
 */
export type SessionHalves = { proof: string; cookie: string };

export const newSession = (): SessionHalves => ({
  proof: `${randomBytes(8).toString("hex")}.${randomBytes(32).toString("base64url")}`,
  cookie: randomBytes(32).toString("base64url"),
});

/** What is stored and looked up in place of a session. */
export const sessionDigest = ({ proof, cookie }: SessionHalves): string => secretDigest(`${proof} ${cookie}`);

const nameFor = (proof: string, { isSecure }: CookieRules): string =>
  `${isSecure ? "__Host-" : ""}nightshift-session-${PROOF.exec(proof)?.[1] ?? ""}`;

/** Host-only (no Domain), so that it never reaches a site; Strict, so that no other page's link carries it. */
export const sessionCookie = (
  { proof, cookie }: SessionHalves,
  rules: CookieRules,
  maxAgeSeconds: number,
): string =>
  `${nameFor(proof, rules)}=${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${rules.isSecure ? "; Secure" : ""}`;

/** Both halves of the session that a request carries; cookies of other names, planted ones too, do not count. */
export const readSession = (
  proof: string | null | undefined,
  cookies: string | null,
  rules: CookieRules,
): SessionHalves | undefined => {
  if (!proof || !PROOF.test(proof)) return undefined;
  const start = `${nameFor(proof, rules)}=`;
  const found = (cookies ?? "")
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(start));
  return found === undefined ? undefined : { proof, cookie: found.slice(start.length) };
};
