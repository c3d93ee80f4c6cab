import type { BodyCache } from "./body-cache.ts";
import type { Repeat } from "./prepared.ts";
import type { SiteVersion } from "./site-version.ts";

const MAX_REPEATS = 2000;
const MAX_KEY_CHARS = 512;

/** Headers that make an answer depend on more than the address and the coding. */
const CONDITIONS = [
  "if-none-match",
  "range",
  "if-modified-since",
  "if-match",
  "if-unmodified-since",
] as const;

const isPlain = (headers: Headers): boolean => {
  for (const name of CONDITIONS) if (headers.get(name) !== null) return false;
  return true;
};

const keyOf = (request: Request): string => {
  const encoding = request.headers.get("accept-encoding");
  return encoding === null ? request.url : `${request.url} ${encoding}`;
};

/** The answer to a plain GET that was answered before, when its bytes are in memory. */
export const findRepeat = (
  version: SiteVersion,
  request: Request,
  bodies: BodyCache,
): Response | undefined => {
  if (request.method !== "GET" || version.repeats.size === 0) return undefined;
  const repeat = version.repeats.get(keyOf(request));
  if (!repeat || !isPlain(request.headers)) return undefined;
  const bytes = bodies.peek(repeat.sha256, repeat.encoding);
  return bytes ? new Response(bytes, { headers: repeat.prepared.sent }) : undefined;
};

/** Remembers a whole file sent for an address; only for addresses whose answer does not depend on who asks. */
export const rememberRepeat = (version: SiteVersion, request: Request, repeat: Repeat): void => {
  if (request.method !== "GET" || !isPlain(request.headers)) return;
  const key = keyOf(request);
  if (key.length > MAX_KEY_CHARS) return;
  if (version.repeats.size >= MAX_REPEATS) version.repeats.clear();
  version.repeats.set(key, repeat);
};
