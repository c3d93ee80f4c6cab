import { lookup as lookupName } from "node:dns/promises";
import { chmodSync } from "node:fs";
import { connect as connectSocket, createServer, type Server, type Socket } from "node:net";
import { AppError, errorText } from "../../core/errors.ts";
import { readAllowEntry } from "./allow-list.ts";
import type { NetworkMode } from "./decide-target.ts";
import { createLedger, type CallEntry } from "./ledger.ts";
import { NETWORK_LIMITS, type NetworkLimits } from "./limits.ts";
import type { ReachPorts } from "./reach-target.ts";
import { serveClient } from "./serve-client.ts";

export type EgressPorts = ReachPorts & { now: () => number };

export type EgressRequest = {
  socketPath: string;
  allow: readonly string[];
  /** `open` is every host of the public internet, on every port; `none` is nobody, whatever `allow` says */
  mode: NetworkMode;
  /** an entry is whole: the last one of a host, port and verdict is all that is known of them */
  onLedger: (entry: CallEntry) => void;
  limits?: Partial<NetworkLimits>;
};

/** Names and connections of this machine. */
export const systemEgressPorts: EgressPorts = {
  lookup: async (host) => (await lookupName(host, { all: true })).map(({ address }) => address),
  connect: ({ host, port }) => connectSocket({ host, port, allowHalfOpen: true, noDelay: true }),
  now: () => Date.now(),
};

/** The longest path that the kernel takes for a socket (sun_path, less its final zero). */
const MAX_SOCKET_PATH_BYTES = 107;

/**
 * The only way out of a sandbox: a proxy on a Unix socket that speaks HTTP (CONNECT and plain requests) and SOCKS5,
 * lets through what the allow list names, and keeps a ledger of who was called.
 * @throws AppError `config` for an entry that is no host, `unavailable` when the socket cannot be made
 */
export const startEgressProxy = async (
  ports: EgressPorts,
  { socketPath, allow, mode, onLedger, limits: someLimits }: EgressRequest,
): Promise<{ close: () => Promise<void> }> => {
  const limits = { ...NETWORK_LIMITS, ...someLimits };
  const entries = allow.map(readAllowEntry);
  const ledger = createLedger({ now: ports.now, onLedger });
  const clients = new Set<Socket>();
  const counters = new Set<() => void>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (clients.size >= limits.maxConnections) return void client.destroy();
    clients.add(client);
    client.on("error", () => client.destroy());
    client.on("close", () => clients.delete(client));
    void serveClient(client, { ports, rules: { mode, entries, limits }, ledger, counters });
  });
  await listen(server, socketPath);
  const writeDown = (): void => {
    for (const count of counters) count();
    ledger.flush();
  };
  const timer = setInterval(writeDown, limits.flushMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      writeDown();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const client of clients) client.destroy();
      await closed;
      writeDown();
    },
  };
};

const listen = async (server: Server, socketPath: string): Promise<void> => {
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES)
    throw new AppError(
      "unavailable",
      `the proxy's socket ${socketPath} has a path of more than ${MAX_SOCKET_PATH_BYTES} bytes; set TMPDIR to a shorter folder`,
    );
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new AppError("unavailable", `the proxy's socket ${socketPath} was not made: ${errorText(error)}`, {
          cause: error,
        }),
      ),
    );
    server.listen(socketPath, () => resolve());
  });
  chmodSync(socketPath, 0o600);
};
