import pg from "pg";
import { AppError } from "../../core/errors.ts";
import { type Connection, connectionOn } from "./connection.ts";
import { coded } from "./failure.ts";

const WAITING_PER_CONNECTION = 100;
const IDLE_MS = 60_000;
const MAX_AGE_SECONDS = 1800;

/** A bounded number of sessions, each used by one at a time. */
export type Pool = {
  use: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Refuses new work, waits for what runs, closes every session. */
  close: () => Promise<void>;
};

export const createPool = (
  options: pg.ClientConfig,
  { size, target }: { size: number; target: string },
): Pool => {
  const pool = new pg.Pool({
    ...options,
    max: size,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: MAX_AGE_SECONDS,
  });
  // A session that is lost fails its statements, and is used no more; nobody else needs to know.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  const busy = (why: string) => {
    const say = (database: string): string =>
      `All ${size} connections to ${database} are in use${why}; try again`;
    return new AppError("unavailable", say(`the database ${target}`), {
      publicMessage: say("the database"),
      details: { retryAfterSeconds: 1 },
    });
  };

  const take = async (): Promise<pg.PoolClient> => {
    if (isClosed) throw new AppError("interrupted", "The server is stopping");
    if (pool.waitingCount >= size * WAITING_PER_CONNECTION)
      throw busy(` and ${pool.waitingCount} requests wait for one`);
    try {
      return await pool.connect();
    } catch (error) {
      // What the pool says of a wait in its queue, and of nothing else.
      if (error instanceof Error && error.message === "timeout exceeded when trying to connect")
        throw busy(` and none was free for ${(options.connectionTimeoutMillis ?? 0) / 1000} s`);
      throw coded(error);
    }
  };

  const useOne = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const client = await take();
    const connection = connectionOn(client);
    try {
      return await work(connection);
    } finally {
      client.release(!connection.isReusable());
    }
  };

  return {
    use: (work) => {
      const use = useOne(work);
      running.add(use);
      return use.finally(() => running.delete(use));
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await Promise.allSettled(running);
      await pool.end();
    },
  };
};
