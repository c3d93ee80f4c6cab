/** How the session cookie is written: over https it carries the `__Host-` prefix, which no sibling host can set. */
export type CookieRules = { isSecure: boolean };

export const SESSION_SECONDS = 8 * 3600;

const nameOf = ({ isSecure }: CookieRules): string =>
  isSecure ? "__Host-nightshift-session" : "nightshift-session";

/** Host-only (no Domain), so that it never reaches a site; Strict, so that no other page's link carries it. */
export const sessionCookie = (value: string, rules: CookieRules, maxAgeSeconds: number): string =>
  `${nameOf(rules)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${rules.isSecure ? "; Secure" : ""}`;

/** The session secret of a Cookie header. Two cookies of the name (one is planted) count as none. */
export const readSessionCookie = (header: string | null, rules: CookieRules): string | undefined => {
  const prefix = `${nameOf(rules)}=`;
  const found = (header ?? "")
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix));
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined;
};
