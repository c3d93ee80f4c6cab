import { AppError } from "../../core/errors.ts";

const HOST_HEADER = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.?)(?::\d{1,5})?$/;
const IP_LITERAL = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;

/** The host name of a Host header: lower case, without port and final dot; undefined when malformed. */
export const parseHost = (header: string): string | undefined => {
  const text = header.toLowerCase();
  if (text.length > 260 || !HOST_HEADER.test(text)) return undefined;
  return text.replace(/:\d{1,5}$/, "").replace(/\.$/, "");
};

/**
 * Whether the control API may answer under this name. A page of another origin can make a browser send
 * requests here by pointing its own DNS name at this machine (DNS rebinding), so names must be known:
 * `localhost`, address literals (which cannot be rebound) and what the operator lists.
 */
export const isControlHost = (hostname: string, allowedHosts: readonly string[]): boolean =>
  hostname === "localhost" || IP_LITERAL.test(hostname) || allowedHosts.includes(hostname);

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses a change that another site's page asks for. Browsers send Origin on every such request and, in
 * newer ones, Sec-Fetch-Site; programs send neither and are told apart by their token instead.
 */
export const checkOrigin = (request: Request, host: string): void => {
  if (SAFE_METHODS.has(request.method)) return;
  const fetchSite = request.headers.get("sec-fetch-site");
  if (fetchSite !== null && fetchSite !== "same-origin" && fetchSite !== "none")
    throw new AppError(
      "forbidden",
      "Same-origin request required: this change was asked for by another site",
    );
  const origin = request.headers.get("origin");
  if (origin === null) return;
  if (hostOfOrigin(origin) !== host.toLowerCase())
    throw new AppError("forbidden", `Same-origin request required: Origin ${origin} is not ${host}`);
};

const hostOfOrigin = (origin: string): string | undefined => {
  try {
    return new URL(origin).host;
  } catch {
    return undefined;
  }
};
