import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { bytesOf } from "./bytes-response.ts";
import type { Handler } from "./handler.ts";

const BODILESS = new Set(["GET", "HEAD"]);

/** A `node:http` server in front of a handler of Web requests. */
export const createNodeServer = (handler: Handler): Server => {
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // While it stops, a connection that has become idle must not be waited for.
    outgoing.once("close", () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    answer(handler, incoming, outgoing).catch((error: unknown) => {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  };
  const server = createServer({ keepAliveTimeout: 10_000 }, listener);
  // Without this Node says 100 before the handler has seen how large the body is going to be.
  server.on("checkContinue", listener);
  return server;
};

const answer = async (
  handler: Handler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const aborted = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) aborted.abort();
  });
  const response = await handler(
    toRequest(incoming, outgoing, aborted.signal),
    () => incoming.socket.remoteAddress,
  );
  outgoing.statusCode = response.status;
  for (const [name, value] of response.headers) {
    if (name !== "set-cookie") outgoing.setHeader(name, value);
  }
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
  // A body that was refused unread would otherwise be read to its end before the next request.
  if (!incoming.complete) outgoing.setHeader("connection", "close");
  await sendBody(response, incoming, outgoing);
};

const sendBody = async (
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const bytes = bytesOf(response);
  if (bytes) {
    outgoing.end(bytes);
    return;
  }
  if (response.body === null || incoming.method === "HEAD") {
    await response.body?.cancel();
    outgoing.end();
    return;
  }
  if (isWholeDocument(response)) {
    const bytes = Buffer.from(await response.arrayBuffer());
    outgoing.setHeader("content-length", bytes.byteLength);
    outgoing.end(bytes);
    return;
  }
  try {
    await pipeline(Readable.fromWeb(response.body as unknown as NodeReadableStream), outgoing);
  } catch {
    // The client went away, or the source failed half-way: nothing can be said on this connection any more.
    outgoing.destroy();
  }
};

// Documents are made in one piece; sent with their length they cost one write. Anything else may be a stream.
const isWholeDocument = ({ headers }: Response): boolean =>
  !headers.has("content-length") &&
  /^(?:application\/(?:problem\+)?json|text\/(?:html|plain))/.test(headers.get("content-type") ?? "");

const toRequest = (incoming: IncomingMessage, outgoing: ServerResponse, signal: AbortSignal): Request => {
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
  if (incoming.headers.host !== undefined) headers.set("host", incoming.headers.host);
  const method = incoming.method ?? "GET";
  const init: RequestInit & { duplex?: "half" } = { method, headers, signal };
  const hasBody =
    !BODILESS.has(method) &&
    (incoming.headers["content-length"] !== undefined || incoming.headers["transfer-encoding"] !== undefined);
  if (hasBody) {
    init.body = continuedBody(incoming, outgoing);
    init.duplex = "half";
  }
  return new Request(urlOf(incoming), init);
};

/** The request's body; the client that waits for "100 Continue" gets it when somebody starts to read. */
const continuedBody = (incoming: IncomingMessage, outgoing: ServerResponse): ReadableStream<Uint8Array> => {
  const body = Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>;
  if (incoming.headers.expect?.toLowerCase() !== "100-continue") return body;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        if (!reader) {
          outgoing.writeContinue();
          reader = body.getReader();
        }
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async (reason) => (reader ? reader.cancel(reason) : body.cancel(reason)),
    },
    { highWaterMark: 0 },
  );
};

// The handler judges the Host header; the URL must only parse, whatever the client sent.
const urlOf = (incoming: IncomingMessage): string => {
  const target = incoming.url ?? "/";
  const path = target.startsWith("/") ? target : pathOfAbsolute(target);
  const host = incoming.headers.host ?? "";
  return /^[\w.:[\]-]{4,}$/.test(host) && URL.canParse(`http://${host}/`)
    ? `http://${host}${path}`
    : `http://invalid.invalid${path}`;
};

const pathOfAbsolute = (target: string): string => {
  if (!URL.canParse(target)) return "/";
  const url = new URL(target);
  return url.pathname + url.search;
};
