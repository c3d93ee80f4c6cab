import { headersFor } from "../publishing/headers-file.ts";
import type { ManifestEntry } from "../publishing/manifest.ts";
import { cacheControlFor } from "./cache-control.ts";
import type { Encoding } from "./encoding.ts";
import { isPackable } from "./packed-bodies.ts";
import type { SiteVersion } from "./site-version.ts";

/** Everything about an answer but its body. */
export type Prepared = {
  etag: string;
  /** for 200, 206 and 404; the length of the whole representation is among them */
  headers: Record<string, string>;
  /** for 304: what a cache needs to go on using what it has */
  notModifiedHeaders: Record<string, string>;
};

export type Variant = { encoding: Encoding | undefined; size: number };

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

/**
 * The headers of one file in one coding, as asked for by one path (`_headers` may tell paths apart that get
 * the same file).
 */
export const prepare = (version: SiteVersion, entry: ManifestEntry, about: About): Prepared => {
  const headers = fixedHeaders(version, entry, about);
  for (const [name, [, value]] of headersFor(version.headers, about.requestPath)) headers[name] = value;
  if (about.isNotFound) {
    // A page that stands in for a missing one must not be kept for it, whatever its own name says.
    if (!version.isPreview) headers["cache-control"] = "public, max-age=0, must-revalidate";
    delete headers["accept-ranges"];
  }
  const kept = Object.entries(headers).filter(([name]) => !BODY_HEADERS.includes(name));
  return { etag: headers["etag"] ?? "", headers, notModifiedHeaders: Object.fromEntries(kept) };
};
