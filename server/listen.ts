import type { AddressInfo } from "node:net";
import { AppError, errorText, systemCode } from "../core/errors.ts";
import type { Handler } from "./http/handler.ts";

/** A server that accepts connections. */
export type Listening = {
  url: string;
  port: number;
  /** Accepts nothing new, lets running requests end for up to `graceMs`, then cuts them off. */
  stop: (graceMs: number) => Promise<void>;
};

type Bind = { host: string; port: number };

const IDLE_TIMEOUT_SECONDS = 60;

/** Binds the runtime's own server: `Bun.serve` under Bun, `node:http` under Node. */
export const listen = async (handler: Handler, bind: Bind): Promise<Listening> => {
  try {
    return "Bun" in globalThis ? listenOnBun(handler, bind) : await listenOnNode(handler, bind);
  } catch (error) {
    throw bindFailure(error, bind);
  }
};

const bindFailure = (error: unknown, { host, port }: Bind): unknown => {
  const code = systemCode(error);
  const reasons: Record<string, string> = {
    EADDRINUSE: "the port is in use; stop what uses it or set PORT",
    EACCES: "permission denied; ports below 1024 need a privileged user, set PORT",
    EADDRNOTAVAIL: "this machine has no such address; set HOST",
    ENOTFOUND: "the name is unknown; set HOST",
  };
  if (code === undefined) return error;
  return new AppError(
    "unavailable",
    `cannot listen on ${host}:${port}: ${reasons[code] ?? errorText(error)}`,
    {
      cause: error,
    },
  );
};

const urlFor = (host: string, port: number): string => {
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  return `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
};

const listenOnNode = async (handler: Handler, { host, port }: Bind): Promise<Listening> => {
  const { createNodeServer } = await import("./http/node-server.ts");
  const server = createNodeServer(handler);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => resolve());
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: urlFor(host, bound),
    port: bound,
    stop: async (graceMs) => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
};

const listenOnBun = (handler: Handler, { host, port }: Bind): Listening => {
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    // The handler limits bodies itself, by route.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    // Whatever fails, no visitor is shown a page with our source and paths.
    development: false,
    fetch: (request, server) => handler(request, () => server.requestIP(request)?.address),
  });
  const bound = server.port ?? port;
  return {
    url: urlFor(host, bound),
    port: bound,
    stop: async (graceMs) => {
      const drained = server.stop(false);
      const cut = setTimeout(() => {
        void server.stop(true);
      }, graceMs);
      await drained;
      clearTimeout(cut);
    },
  };
};
