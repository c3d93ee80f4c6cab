import { AppError } from "../../core/errors.ts";
import { discard } from "./discard-body.ts";

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
  const init: RequestInit & { duplex: "half" } = {
    method: request.method,
    headers: request.headers,
    body: cutAt(request.body, maxBytes),
    signal: request.signal,
    duplex: "half",
  };
  return new Request(request.url, init);
};

const cutAt = (body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  let seen = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (seen <= maxBytes) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          const room = maxBytes - seen;
          seen += value.byteLength;
          if (seen <= maxBytes) return controller.enqueue(value);
          // All may have come in one piece: a reader with a smaller limit of its own finds out by itself.
          if (room > 0) return controller.enqueue(value.subarray(0, room));
        }
        await discard(reader);
        return controller.error(tooLarge(maxBytes));
      },
      cancel: () => discard(reader),
    },
    { highWaterMark: 0 },
  );
};
