import { promisify } from "node:util";
import { gzip } from "node:zlib";

const pack = promisify(gzip);

/** Answers that are long on a phone's network. None of them repeats what a stranger sent beside a secret (BREACH). */
const LONG = /^\/api\/night(?:\/|$)/;
const WORTH_BYTES = 2_000;

/** The same answer, compressed where that is worth it and understood. */
export const compressed = async (request: Request, response: Response): Promise<Response> => {
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const isUnderstood = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (request.method !== "GET" || !isJson || !isUnderstood || !LONG.test(new URL(request.url).pathname))
    return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.set("vary", "Accept-Encoding");
  if (bytes.length < WORTH_BYTES) return new Response(bytes, { status: response.status, headers });
  headers.set("content-encoding", "gzip");
  headers.delete("content-length");
  return new Response(new Uint8Array(await pack(bytes)), { status: response.status, headers });
};
