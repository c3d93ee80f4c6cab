import { headersFor } from "../publishing/headers-file.ts";
import type { ManifestEntry } from "../publishing/manifest.ts";
import { cacheControlFor } from "./cache-control.ts";
import type { Encoding } from "./encoding.ts";
import { isPackable } from "./packed-bodies.ts";
import type { Prepared } from "./prepared.ts";
import type { SiteVersion } from "./site-version.ts";

export type Variant = { encoding: Encoding | undefined; size: number };

const MAX_PREPARED = 5000;
const ETAG_HEX_CHARS = 32;
const BODY_HEADERS = ["content-type", "content-length", "content-encoding", "accept-ranges"];

/** Strong, and different for each coding: the bytes on the wire differ, so must their names. */
export const etagFor = (sha256: string, encoding: Encoding | undefined): string =>
  `"${sha256.slice(0, ETAG_HEX_CHARS)}${encoding === undefined ? "" : `-${encoding}`}"`;

const fixedHeaders = (version: SiteVersion, entry: ManifestEntry, { encoding, size }: Variant) => {
  const headers: Record<string, string> = {
    "content-type": entry.contentType,
    "content-length": String(size),
    etag: etagFor(entry.sha256, encoding),
    "last-modified": new Date(version.lastModifiedMs).toUTCString(),
    "cache-control": version.isPreview ? "private, no-cache" : cacheControlFor(entry.path),
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
    "x-deployment-id": version.id,
  };
  if (isPackable(entry)) headers["vary"] = "Accept-Encoding";
  if (encoding !== undefined) headers["content-encoding"] = encoding;
  if (version.isPreview) headers["x-robots-tag"] = "noindex";
  return headers;
};

type About = Variant & { requestPath: string; isNotFound: boolean };

const build = (version: SiteVersion, entry: ManifestEntry, about: About): Prepared => {
  const headers = fixedHeaders(version, entry, about);
  for (const [name, [, value]] of headersFor(version.headers, about.requestPath)) headers[name] = value;
  if (about.isNotFound) {
    // A page that stands in for a missing one must not be kept for it, whatever its own name says.
    if (!version.isPreview) headers["cache-control"] = "public, max-age=0, must-revalidate";
    delete headers["accept-ranges"];
  }
  const kept = Object.entries(headers).filter(([name]) => !BODY_HEADERS.includes(name));
  return {
    etag: headers["etag"] ?? "",
    headers,
    sent: new Headers(headers),
    notModifiedHeaders: Object.fromEntries(kept),
  };
};

/**
 * The headers of one file in one coding, as asked for by one path (`_headers` may tell paths apart that get
 * the same file).
 */
export const prepare = (version: SiteVersion, entry: ManifestEntry, about: About): Prepared => {
  const asked = version.headers.length === 0 ? "" : about.requestPath;
  const key = `${entry.path}\n${about.encoding ?? ""}\n${about.isNotFound ? "404" : ""}\n${asked}`;
  const known = version.prepared.get(key);
  if (known) return known;
  const prepared = build(version, entry, about);
  if (version.prepared.size >= MAX_PREPARED) version.prepared.clear();
  version.prepared.set(key, prepared);
  return prepared;
};
