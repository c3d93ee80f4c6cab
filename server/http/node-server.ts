import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { AppError } from "../../core/errors.ts";
import type { Handler } from "./handler.ts";
import { problemResponse } from "./problem.ts";

/** A `node:http` server in front of a handler of Web requests. */
export const createNodeServer = (handler: Handler): Server => {
  const answer = getRequestListener(
    (request, { incoming }) => handler(request, () => incoming.socket.remoteAddress),
    // The handler never throws: what fails comes from a request line or a Host that makes no URL.
    { errorHandler: () => problemResponse(new AppError("usage", "The address of the request is malformed")) },
  );
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // While it stops, a connection that has become idle must not be waited for.
    outgoing.once("close", () => {
      // Nothing is sent any more, and so no length is right: not worth an error in the log.
      outgoing.strictContentLength = false;
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    // An answer that is longer or shorter than it says would be read as the next one's beginning.
    // To a HEAD no body is sent at all, which Node would count as too short.
    outgoing.strictContentLength = incoming.method !== "HEAD";
    incoming.url = originForm(incoming.url ?? "/");
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  };
  const server = createServer({ keepAliveTimeout: 10_000 }, listener);
  // Without this Node says 100 before the handler has seen how large the body is going to be.
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    incoming.once("resume", () => {
      if (!outgoing.headersSent) outgoing.writeContinue();
    });
    listener(incoming, outgoing);
  });
  return server;
};

/** The path and query of a request line; which host is meant, the Host header alone says. */
const originForm = (target: string): string => {
  if (target.startsWith("/")) return target;
  if (!URL.canParse(target)) return "/";
  const { pathname, search } = new URL(target);
  return pathname + search;
};
