import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { escapeHtml } from "../../core/escape-html.ts";
import { AppError } from "../../core/errors.ts";

/** The file with the administrator's token, and whether what it holds was revoked or has expired. */
export type TokenFile = { path: string; isDead: boolean };

const tokenData = (file: TokenFile | undefined): string =>
  file === undefined
    ? ""
    : ` data-token-file="${escapeHtml(file.path)}"${file.isDead ? " data-token-dead" : ""}`;

const pageFor = (tokenFile: TokenFile | undefined): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Nightshift</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/app/apple-touch-icon.png">
<link rel="manifest" href="/app/manifest.webmanifest">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#1e2024">
<link rel="stylesheet" href="/app/app.css">
<script type="module" src="/app/app.js"></script>
</head>
<body>
<div id="app"${tokenData(tokenFile)}></div>
<noscript><main class="narrow"><h1>Nightshift</h1><p>This page needs JavaScript. Everything it does can also be done with the command <code>nightshift publish</code>.</p></main></noscript>
</body>
</html>
`;

/** Nothing from elsewhere, nothing inline, in no frame; text never becomes script or markup. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types service-worker",
].join("; ");

const SECURITY = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "x-frame-options": "DENY",
};

const SCRIPT = "text/javascript; charset=utf-8";
const TYPES: Readonly<Record<string, string>> = {
  "app.js": SCRIPT,
  "sw.js": SCRIPT,
  "app.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "icon-192.png": "image/png",
  "icon-512.png": "image/png",
  "icon-maskable.png": "image/png",
  "apple-touch-icon.png": "image/png",
};

/** The page's own files that are served by their name. */
export const ASSETS: readonly string[] = Object.keys(TYPES);

/** A part of the program that is loaded when it is needed; its name holds its digest. */
const PART = /^[\w.-]+-[A-Z0-9]{8}\.js$/;

const pathOf = (name: string): string | undefined =>
  name in TYPES ? name : PART.test(name) ? join("parts", name) : undefined;

type Asset = { bytes: Uint8Array<ArrayBuffer>; packed: Uint8Array<ArrayBuffer>; etag: string };

/** The folder of the built files: beside the compiled server, or in dist/ when the sources run. */
const findFolder = (): string | undefined =>
  [join(import.meta.dirname, "assets"), join(import.meta.dirname, "../../dist/server/app/assets")].find(
    (folder) => existsSync(join(folder, "app.js")),
  );

const loadAsset = (name: string): Asset => {
  const folder = findFolder();
  if (!folder) throw new AppError("unavailable", "The page has not been built; run: npm run build");
  const path = pathOf(name);
  if (path === undefined || !existsSync(join(folder, path)))
    throw new AppError("not-found", `The page has no part ${name.slice(0, 100)}; load it again`);
  const bytes = readFileSync(join(folder, path));
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}`;
  return { bytes, packed: gzipSync(bytes, { level: 9 }), etag };
};

/** The application's page; the same for every address in it. @param tokenFile told to those who may read it */
export const pageResponse = (tokenFile?: TokenFile, status = 200): Response =>
  new Response(pageFor(tokenFile), {
    status,
    headers: { ...SECURITY, "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" },
  });

/** Serves the page's own files, read once. */
export const createAssetResponder = () => {
  const loaded = new Map<string, Asset>();
  return (name: string, request: Request): Response => {
    const asset = loaded.get(name) ?? loadAsset(name);
    loaded.set(name, asset);
    const isPacked = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    const etag = `${asset.etag}${isPacked ? "-gzip" : ""}"`;
    const headers = { ...SECURITY, etag, vary: "Accept-Encoding", "cache-control": "no-cache" };
    if (request.headers.get("if-none-match")?.includes(etag))
      return new Response(null, { status: 304, headers });
    return new Response(isPacked ? asset.packed : asset.bytes, {
      headers: {
        ...headers,
        "content-type": TYPES[name] ?? SCRIPT,
        // The page itself is `/app`, beside the folder that it would be allowed by itself.
        ...(name === "sw.js" ? { "service-worker-allowed": "/app" } : {}),
        ...(isPacked ? { "content-encoding": "gzip" } : {}),
      },
    });
  };
};

/** What a phone needs to keep the page among its programs. */
export const manifestResponse = (): Response =>
  Response.json(
    {
      name: "Nightshift",
      short_name: "Nightshift",
      id: "/app",
      start_url: "/app",
      scope: "/app",
      display: "standalone",
      background_color: "#16171a",
      theme_color: "#3346c4",
      icons: [
        { src: "/app/icon.svg", type: "image/svg+xml", sizes: "any", purpose: "any" },
        { src: "/app/icon-192.png", type: "image/png", sizes: "192x192", purpose: "any" },
        { src: "/app/icon-512.png", type: "image/png", sizes: "512x512", purpose: "any" },
        { src: "/app/icon-maskable.png", type: "image/png", sizes: "512x512", purpose: "maskable" },
      ],
    },
    { headers: { ...SECURITY, "content-type": "application/manifest+json", "cache-control": "no-cache" } },
  );
