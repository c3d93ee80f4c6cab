import { markup, type Html } from "./html.ts";

export const BASE_PATH = "/__companion";

// Nothing may frame these pages: a decision that can be laid under another page's button is no decision.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY.join("; "),
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  // Not no-referrer: a form would then be sent with Origin: null, and refused.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

export type PageOptions = {
  title: string;
  body: Html;
  status?: number;
  /** shows a stranger's side: the page's script asks for the person's with the session's other half */
  isLocked?: boolean;
  /** the page above it; none for the companion's first page */
  above?: "Companion" | "Approvals" | undefined;
};

/** The pages of the publisher's interface, in the order of its head. */
const APP_PAGES = [
  ["/app", "Night"],
  ["/app/memory", "Memory"],
  ["/app/queue", "Queue"],
  ["/app/sites", "Sites"],
  ["/app/tokens", "Tokens"],
  ["/app/security", "Security"],
] as const;

/** One page of the companion. */
export const page = ({ title, body, status = 200, isLocked = false, above }: PageOptions): Response => {
  const { text } = markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Nightshift</title>
        <link rel="icon" href="/app/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/app/app.css" />
        <link rel="stylesheet" href="${BASE_PATH}/style.css" />
        <script src="${BASE_PATH}/page.js"></script>
      </head>
      <body>
        <header>
          <div class="head">
            <a href="/app" class="brand"><img src="/app/icon.svg" alt="" width="24" height="24" /> Nightshift</a>
            <nav aria-label="Main">
              ${APP_PAGES.map(([to, name]) => markup`<a href="${to}">${name}</a>`)}
              <a href="${BASE_PATH}/" aria-current="${above === undefined ? "page" : "true"}">Companion</a>
            </nav>
            <button type="button" class="small" id="sign-out" hidden>Sign out</button>
          </div>
        </header>
        <main class="stack" ${isLocked ? markup`data-locked` : markup``}>
          ${
            above === undefined
              ? undefined
              : markup`<nav aria-label="Breadcrumb">
                  <a href="${BASE_PATH}/">Companion</a>
                  ${above === "Approvals" ? markup`<span aria-hidden="true">/</span> <a href="${BASE_PATH}/approvals">Approvals</a>` : undefined}
                </nav>`
          }
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `;
  return new Response(text, { status, headers: HEADERS });
};

/** The way to the sign-in page, and back here from there. */
const signInPath = (request: Request): string =>
  `/app?back=${encodeURIComponent(new URL(request.url).pathname)}`;

/**
 * What a person sees who is not signed in, and at first everybody: a browser that opens a page can send only
 * the cookie, which proves nothing alone.
 */
export const signInFirst = (request: Request): Response =>
  page({
    title: "Sign in first",
    status: request.headers.get("sec-fetch-mode") === "navigate" ? 200 : 401,
    isLocked: true,
    body: markup`<p class="notice">
      Sign in to review this request. <a class="button" href="${signInPath(request)}">Sign in</a>
    </p>`,
  });
