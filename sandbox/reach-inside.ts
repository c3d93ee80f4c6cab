import { createServer, type Server, type Socket } from "node:net";
import { AppError } from "../core/errors.ts";

/** Reaches ports inside of a sandbox whose `inside/offer.ts` calls the socket. */
export type ReachInside = {
  /** a port of this machine's loopback that leads to a port inside */
  reach: (port: number) => Promise<number>;
  close: () => void;
};

const listen = (server: Server, where: { path: string } | { host: string; port: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new AppError("unavailable", `the sandbox cannot be reached: ${error.message}`, { cause: error }),
      ),
    );
    server.listen(where, resolve);
  });

/** @throws AppError `unavailable` where no socket can be made */
export const openReachInside = async (socketPath: string): Promise<ReachInside> => {
  const waiting: Socket[] = [];
  const wanted: ((way: Socket) => void)[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const offered = createServer((way) => {
    keep(way);
    const next = wanted.shift();
    if (next) next(way);
    else waiting.push(way);
  });
  await listen(offered, { path: socketPath });
  const takeWay = async (): Promise<Socket> => {
    const way = waiting.shift();
    if (way && !way.destroyed) return way;
    return way ? takeWay() : new Promise((resolve) => wanted.push(resolve));
  };
  const published = new Map<number, Promise<number>>();
  const servers: Server[] = [offered];
  const publish = async (port: number): Promise<number> => {
    const server = createServer((client) => {
      keep(client);
      client.pause();
      void takeWay().then((way) => {
        way.write(`${port}\n`);
        client.on("close", () => way.end());
        way.on("close", () => client.end());
        client.pipe(way).pipe(client);
      });
    });
    servers.push(server);
    await listen(server, { host: "127.0.0.1", port: 0 });
    return (server.address() as { port: number }).port;
  };
  return {
    reach: (port) => {
      const found = published.get(port) ?? publish(port);
      published.set(port, found);
      return found;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
};
