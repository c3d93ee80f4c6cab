// Runs inside a network namespace: the loopback side of the proxy, whose Unix socket is the only thing that leads
// out. `node relay.js '{"socketPath","port","loopback":[{host,port}],"watch":pid}'` says "ready" and goes to the
// background of whatever is run next to it.
import { closeSync, openSync, writeSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Target } from "./allow-list.ts";
import { joinSockets } from "./tunnel.ts";

export type RelaySettings = {
  socketPath: string;
  /** of HTTP and SOCKS5 alike; the proxy tells them apart */
  port: number;
  /** ports of the host's loopback, which are reached at the same place inside */
  loopback: readonly Target[];
  /** the process whose end is ours */
  watch?: number;
};

const WATCH_MS = 1_000;
/** The proxy ends what is idle; this side only carries. */
const NEVER_MS = 0;

const open = new Set<Socket>();

const carry = (client: Socket, socketPath: string, hello: string): void => {
  open.add(client);
  client.on("close", () => open.delete(client));
  const outside = connect({ path: socketPath, allowHalfOpen: true });
  outside.write(hello);
  const first = async (): Promise<Uint8Array> => new Uint8Array();
  if (hello === "") return void joinSockets(client, outside, { idleMs: NEVER_MS, first });
  let head = Buffer.alloc(0);
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    outside.off("data", read).pause();
    if (!head.toString("latin1").startsWith("HTTP/1.1 200 ")) return void client.destroy();
    client.write(head.subarray(end + 4));
    void joinSockets(client, outside, { idleMs: NEVER_MS, first });
  };
  outside.on("data", read).on("error", () => client.destroy());
  client.on("error", () => outside.destroy()).on("close", () => outside.destroy());
};

const listen = ({ host, port }: Target, serve: (client: Socket) => void): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, serve);
    server.once("error", reject);
    server.listen({ host, port }, () => resolve(server));
  });

const bracketed = ({ host, port }: Target): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

/**
 * The loopback ports of the host, each as far as it can be opened here: two entries may name one port ("localhost"
 * and "127.0.0.1"), it may be privileged, or IPv6 may be off. A missing port is no reason to run nothing at all.
 */
const listenOnLoopback = async (targets: readonly Target[], socketPath: string): Promise<Server[]> => {
  const tried = await Promise.allSettled(
    targets.map((target) =>
      listen(target, (client) => carry(client, socketPath, `CONNECT ${bracketed(target)} HTTP/1.1\r\n\r\n`)),
    ),
  );
  return tried.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
};

/** The proxy is asked whether it is there before anything relies on it. */
const findProxy = (socketPath: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ path: socketPath }, () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

const run = async ({ socketPath, port, loopback, watch }: RelaySettings): Promise<void> => {
  await findProxy(socketPath);
  const servers = [
    await listen({ host: "127.0.0.1", port }, (client) => carry(client, socketPath, "")),
    ...(await listenOnLoopback(loopback, socketPath)),
  ];
  // Whoever is told to end lets what is under way come to its end: the agent may have been told the same.
  const closeServers = (): void => {
    for (const server of servers) server.close();
  };
  process.on("SIGTERM", closeServers);
  const look = (): void => {
    if (watch === undefined || !isGone(watch)) return;
    clearInterval(timer);
    closeServers();
    for (const client of open) client.destroy();
  };
  const timer = setInterval(look, WATCH_MS);
  timer.unref();
  writeSync(1, "ready");
  // Whoever started us reads until nobody holds the pipe any more.
  for (const file of [1, 2]) {
    closeSync(file);
    openSync("/dev/null", "w");
  }
};

await run(JSON.parse(process.argv[2] ?? "") as RelaySettings);
