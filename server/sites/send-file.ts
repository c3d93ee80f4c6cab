import { createReadStream } from "node:fs";
import { toWebStream } from "../http/web-stream.ts";
import type { BlobStore } from "../blobs/blobs.ts";
import type { ManifestEntry } from "../publishing/manifest.ts";
import { type BodyCache, MAX_CACHED_BYTES } from "./body-cache.ts";
import { acceptedEncodings, type Encoding } from "./encoding.ts";
import { isPackable } from "./packed-bodies.ts";
import { checkPreconditions, type ConditionalHeaders, isRangeFresh } from "./preconditions.ts";
import { type ByteRange, readRange } from "./range.ts";
import { rememberRepeat } from "./repeat-answers.ts";
import type { Prepared } from "./prepared.ts";
import { prepare } from "./representation.ts";
import type { SiteVersion } from "./site-version.ts";

/** A part of a file as a response body, by the runtime's best way: Bun sends files without copying them. */
const fileBody = (path: string, { start, end }: ByteRange): BodyInit =>
  "Bun" in globalThis
    ? Bun.file(path).slice(start, end + 1)
    : toWebStream(createReadStream(path, { start, end }));

type MaybePromise<T> = T | Promise<T>;
type Bytes = Uint8Array<ArrayBuffer>;

export type SendPorts = { blobs: Pick<BlobStore, "locate">; bodies: BodyCache };

/** A file to send: which, as what answer, and the path that asked for it. */
export type FileAnswer = {
  version: SiteVersion;
  entry: ManifestEntry;
  status: 200 | 404;
  requestPath: string;
  /** whether every plain request for this address gets this file, whoever asks and for what use */
  isSettled: boolean;
};

/**
 * The bytes to send, from memory or from their file; `size` is how many they are, whatever a manifest says.
 * `isFinal` says that the same request gets no better coding later, as it does while the file is still being
 * packed.
 */
type Body = { encoding: Encoding | undefined; size: number; isFinal: boolean } & (
  | { bytes: Bytes }
  | { path: string }
);

const MISS = Symbol("not in memory");

/** Chooses coding and body from memory alone, which is how nearly every request is answered. */
const peekBody = (
  { bodies }: SendPorts,
  entry: ManifestEntry,
  wanted: readonly Encoding[],
): Body | typeof MISS => {
  for (const encoding of wanted) {
    const bytes = bodies.peek(entry.sha256, encoding);
    if (bytes === undefined) return MISS;
    if (bytes) return { encoding, size: bytes.byteLength, bytes, isFinal: true };
  }
  const bytes = bodies.peek(entry.sha256);
  return bytes ? { encoding: undefined, size: bytes.byteLength, bytes, isFinal: true } : MISS;
};

const loadBody = async (
  { bodies, blobs }: SendPorts,
  entry: ManifestEntry,
  wanted: readonly Encoding[],
): Promise<Body> => {
  let isFinal = true;
  for (const encoding of wanted) {
    const bytes = bodies.peek(entry.sha256, encoding) ?? (await bodies.load(entry.sha256, encoding));
    if (bytes) return { encoding, size: bytes.byteLength, bytes, isFinal };
    isFinal &&= bytes === null;
  }
  const known = bodies.peek(entry.sha256);
  if (known) return { encoding: undefined, size: known.byteLength, bytes: known, isFinal };
  const { path, size } = await blobs.locate(entry.sha256);
  if (size > MAX_CACHED_BYTES) return { encoding: undefined, size, path, isFinal };
  const bytes = (await bodies.load(entry.sha256)) ?? new Uint8Array();
  return { encoding: undefined, size: bytes.byteLength, bytes, isFinal };
};

const readConditions = (headers: Headers): ConditionalHeaders => ({
  ifMatch: headers.get("if-match") ?? undefined,
  ifNoneMatch: headers.get("if-none-match") ?? undefined,
  ifModifiedSince: headers.get("if-modified-since") ?? undefined,
  ifUnmodifiedSince: headers.get("if-unmodified-since") ?? undefined,
  ifRange: headers.get("if-range") ?? undefined,
});

const withoutBody = (status: number, headers: Record<string, string>): Response =>
  new Response(null, { status, headers });

const partHeaders = (
  { headers }: Prepared,
  { start, end }: ByteRange,
  size: number,
): Record<string, string> => ({
  ...headers,
  "content-length": String(end - start + 1),
  "content-range": `bytes ${start}-${end}/${size}`,
});

const respond = (request: Request, answer: FileAnswer, body: Body): Response => {
  const { version, entry, status, requestPath } = answer;
  const prepared = prepare(version, entry, { ...body, requestPath, isNotFound: status === 404 });
  let range: ByteRange | undefined;
  if (status === 200) {
    const validators = { etag: prepared.etag, lastModifiedMs: version.lastModifiedMs };
    const conditions = readConditions(request.headers);
    const verdict = checkPreconditions(conditions, validators);
    if (verdict === "not-modified") return withoutBody(304, prepared.notModifiedHeaders);
    if (verdict === "failed") return withoutBody(412, prepared.notModifiedHeaders);
    const wanted = request.method === "GET" ? request.headers.get("range") : null;
    if (wanted !== null && isRangeFresh(conditions.ifRange, validators)) {
      const read = readRange(wanted, body.size);
      if (read === "unsatisfiable")
        return withoutBody(416, { ...prepared.notModifiedHeaders, "content-range": `bytes */${body.size}` });
      range = read;
    }
  }
  const headers = range ? partHeaders(prepared, range, body.size) : prepared.headers;
  const sent = range ? 206 : status;
  if (request.method === "HEAD") return withoutBody(sent, headers);
  if ("bytes" in body) {
    if (answer.isSettled && body.isFinal && status === 200)
      rememberRepeat(version, request, { prepared, sha256: entry.sha256, encoding: body.encoding });
    const bytes = range ? body.bytes.subarray(range.start, range.end + 1) : body.bytes;
    return new Response(bytes, { status: sent, headers });
  }
  return new Response(fileBody(body.path, range ?? { start: 0, end: body.size - 1 }), {
    status: sent,
    headers,
  });
};

/** Sends one file of a version: coding, preconditions and ranges by RFC 9110. */
export const sendFile = (ports: SendPorts, request: Request, answer: FileAnswer): MaybePromise<Response> => {
  const { entry } = answer;
  // A range counts bytes of the coding it is taken from; of packed ones nobody asks for parts.
  const packable = isPackable(entry) && !request.headers.has("range");
  const wanted = packable ? acceptedEncodings(request.headers.get("accept-encoding") ?? undefined) : [];
  const body = peekBody(ports, entry, wanted);
  return body === MISS
    ? loadBody(ports, entry, wanted).then((loaded) => respond(request, answer, loaded))
    : respond(request, answer, body);
};
