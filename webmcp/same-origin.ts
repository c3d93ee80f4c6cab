/**
 * Why a call is not taken as one of the page's own, or undefined when it is. Browsers send `Origin` with every
 * POST and `Sec-Fetch-Site` to every trustworthy address, and no page can forge either. A client that sends
 * neither is no browser: it carries no visitor's cookies unasked.
 */
export const whyNotSameOrigin = (request: Request): string | undefined => {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return `the call comes from another place (${site})`;
  const origin = request.headers.get("origin");
  if (origin === null) return undefined;
  const target = new URL(request.url);
  if (!URL.canParse(origin) || new URL(origin).host !== target.host)
    return `the call comes from ${origin}, not from this page`;
  // Behind a proxy that ends TLS the scheme differs here; the browser has then said "same-origin" itself.
  if (new URL(origin).protocol !== target.protocol && site === null)
    return `the call comes from ${origin}, not from this page`;
  return undefined;
};

/** Only JSON makes a browser ask before it sends a call across origins. */
export const isJsonType = (contentType: string | null): boolean =>
  /^application\/json\s*(?:;|$)/i.test(contentType ?? "");
