import { AppError } from "../../core/errors.ts";

/** The most bytes a request may carry; a feature states its own for the routes that need more. */
export type BodyLimit = (method: string, path: string) => number | undefined;

export const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;

const tooLarge = (maxBytes: number): AppError =>
  new AppError("too-large", `The request body is larger than ${maxBytes} bytes`, { details: { maxBytes } });

/**
 * Refuses a body that says it is too large before a byte of it is read, and cuts one that does not say
 * its length at the limit. A body that is refused in the middle makes its reader fail with `too-large`.
 */
export const limitBody = (request: Request, maxBytes: number): Request => {
  const header = request.headers.get("content-length");
  if (header !== null) {
    if (!/^\d{1,15}$/.test(header)) throw new AppError("usage", `Content-Length ${header} is not a number`);
    if (Number(header) > maxBytes) throw tooLarge(maxBytes);
    return request;
  }
  if (request.method === "GET" || request.method === "HEAD" || request.body === null) return request;
  let seen = 0;
  const counted = request.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        seen += chunk.byteLength;
        if (seen > maxBytes) controller.error(tooLarge(maxBytes));
        else controller.enqueue(chunk);
      },
    }),
  );
  const init: RequestInit & { duplex: "half" } = {
    method: request.method,
    headers: request.headers,
    body: counted,
    signal: request.signal,
    duplex: "half",
  };
  return new Request(request.url, init);
};
