/** The validators of the representation that would be sent. */
export type Validators = { etag: string; lastModifiedMs: number };

/** Request headers as the rules below need them: undefined when absent. */
export type ConditionalHeaders = {
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
  ifModifiedSince?: string | undefined;
  ifUnmodifiedSince?: string | undefined;
  range?: string | undefined;
  ifRange?: string | undefined;
};

const opaque = (tag: string): string => tag.replace(/^W\//, "");

/** Entity tags of a header list; a malformed rest is ignored. Tags may hold commas, so this is no split. */
export const readTags = (header: string): string[] =>
  header.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];

const matchesStrong = (header: string, etag: string): boolean =>
  header.trim() === "*" || readTags(header).some((tag) => tag === etag && !tag.startsWith("W/"));

const matchesWeak = (header: string, etag: string): boolean =>
  header.trim() === "*" || readTags(header).some((tag) => opaque(tag) === opaque(etag));

const HTTP_DATE =
  /^[A-Z][a-z]{2}(?:, \d{2} [A-Z][a-z]{2} \d{4} | [A-Z][a-z]{2} [ \d]\d )|^[A-Z][a-z]+day, \d{2}-/;

/** Milliseconds of an HTTP date, or undefined when it is not one (then the header is ignored). */
export const readHttpDate = (text: string): number | undefined => {
  const ms = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
};

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** What the preconditions of a GET or HEAD decide, in the order of RFC 9110, section 13.2.2. */
export const checkPreconditions = (
  headers: ConditionalHeaders,
  { etag, lastModifiedMs }: Validators,
): "proceed" | "not-modified" | "failed" => {
  if (headers.ifMatch !== undefined) {
    if (!matchesStrong(headers.ifMatch, etag)) return "failed";
  } else if (headers.ifUnmodifiedSince !== undefined) {
    const date = readHttpDate(headers.ifUnmodifiedSince);
    if (date !== undefined && seconds(lastModifiedMs) > seconds(date)) return "failed";
  }
  if (headers.ifNoneMatch !== undefined)
    return matchesWeak(headers.ifNoneMatch, etag) ? "not-modified" : "proceed";
  if (headers.ifModifiedSince !== undefined) {
    const date = readHttpDate(headers.ifModifiedSince);
    if (date !== undefined && seconds(lastModifiedMs) <= seconds(date)) return "not-modified";
  }
  return "proceed";
};

/** Whether a Range header is to be honoured: without If-Range always, with it only for this very representation. */
export const isRangeFresh = (ifRange: string | undefined, { etag, lastModifiedMs }: Validators): boolean => {
  if (ifRange === undefined) return true;
  const text = ifRange.trim();
  if (text.endsWith('"')) return text === etag && !text.startsWith("W/");
  const date = readHttpDate(text);
  return date !== undefined && seconds(date) === seconds(lastModifiedMs);
};
