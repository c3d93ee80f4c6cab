import { setTimeout as delay } from "node:timers/promises";
import { AppError, errorText } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { clientOptions, type Connection } from "./connection.ts";
import { isConflict, isRefusal, toFailure } from "./failure.ts";
import { createListener } from "./listener.ts";
import { createPool } from "./pool.ts";
import { createReport } from "./report.ts";
import type { Postgres, Transaction, TransactionOptions } from "./postgres.ts";
import { queriesOn, runTransaction } from "./transaction.ts";

export type PostgresSettings = {
  url: string;
  /** connections of this process at most, one more for messages not counted */
  poolSize: number;
  statementTimeoutMs: number;
  /** how long to wait for a database that is not there yet */
  waitMs: number;
  /** how long a request waits for one of the connections, and each of these for the database; default 5 s */
  connectWaitMs?: number;
};

const CONNECT_TIMEOUT_MS = 5000;
const LOCK_TIMEOUT_MS = 5000;
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;
const MAX_TRIES = 5;

/**
 * Connects to a PostgreSQL that others share.
 * @throws AppError `unavailable` when it is not there after `waitMs`, `config` when it refuses us or cannot
 *   hold every text, `interrupted` when `signal` is aborted while it is waited for
 */
export const openPostgres = async (
  settings: PostgresSettings,
  { log, now = Date.now, signal }: { log: Log; now?: () => number; signal?: AbortSignal | undefined },
): Promise<Postgres> => {
  const { url, poolSize, statementTimeoutMs, waitMs } = settings;
  const target = describeTarget(url);
  const options = clientOptions({
    url,
    connectTimeoutMs: settings.connectWaitMs ?? CONNECT_TIMEOUT_MS,
    statementTimeoutMs,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    idleTransactionTimeoutMs: IDLE_TRANSACTION_TIMEOUT_MS,
  });
  const pool = createPool(options, { size: poolSize, target });
  const listener = createListener(options);
  const report = createReport({ log, now }, target);
  let isThere = false;

  const use = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    try {
      const result = await pool.use(work);
      report.served();
      return result;
    } catch (error) {
      const failure = toFailure(error, target);
      // Until it has served once, who waits for it says why.
      if (isThere) report.failed(failure);
      throw failure;
    }
  };

  const db: Postgres = {
    target,
    get: (text, values) => use((connection) => queriesOn(connection).get(text, values)),
    all: (text, values) => use((connection) => queriesOn(connection).all(text, values)),
    run: (text, values) => use((connection) => queriesOn(connection).run(text, values)),
    exec: (text) => use((connection) => queriesOn(connection).exec(text)),
    transaction: (work, transactionOptions) =>
      use((connection) => retried(connection, work, transactionOptions)),
    listen: async (channel, subscription) => {
      try {
        return await listener.listen(channel, subscription);
      } catch (error) {
        throw toFailure(error, target);
      }
    },
    ping: async () => {
      await db.get("SELECT 1");
    },
    close: async () => {
      listener.close();
      await pool.close();
    },
  };
  await waitForDatabase(db, { log, waitMs, now, signal });
  isThere = true;
  try {
    await checkEncoding(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
};

/** In any other encoding some texts cannot be stored, or come back as others: too late to learn it then. */
const checkEncoding = async (db: Postgres): Promise<void> => {
  const found = await db.get<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  if (found?.encoding !== "UTF8")
    throw new AppError(
      "config",
      `cannot use the database ${db.target}: its encoding is ${found?.encoding}; make one with: createdb --encoding UTF8 --template template0`,
    );
};

const retried = async <T>(
  connection: Connection,
  work: (tx: Transaction) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await runTransaction(connection, work, options);
    } catch (error) {
      if (!isConflict(error) || attempt === MAX_TRIES || !connection.isReusable()) throw error;
      await delay(Math.random() * 10 * 2 ** attempt);
    }
};

/** User, host and database of an address; never its password or parameters. */
const describeTarget = (url: string): string => {
  const { username, host, pathname } = new URL(url);
  return `${username === "" ? "" : `${username}@`}${host}${pathname}`;
};

const RETRY_MS = 500;
const SAY_EVERY_MS = 5000;

const waitForDatabase = async (
  db: Postgres,
  {
    log,
    waitMs,
    now,
    signal,
  }: { log: Log; waitMs: number; now: () => number; signal: AbortSignal | undefined },
): Promise<void> => {
  const until = now() + waitMs;
  let sayAt = now();
  for (;;)
    try {
      await db.ping();
      return;
    } catch (error) {
      const cause = error instanceof AppError ? error.cause : error;
      const left = until - now();
      if (isRefusal(cause) || left <= 0) {
        await db.close();
        throw new AppError(
          isRefusal(cause) ? "config" : "unavailable",
          `cannot use the database ${db.target}: ${errorText(cause)}; check DATABASE_URL and that PostgreSQL runs there`,
          { cause },
        );
      }
      if (now() >= sayAt) {
        log.warn(
          { database: db.target, why: errorText(cause), secondsLeft: Math.round(left / 1000) },
          "waiting for the database",
        );
        sayAt = now() + SAY_EVERY_MS;
      }
      await delay(Math.min(RETRY_MS, left), undefined, signal ? { signal } : {}).catch(() => {});
      if (signal?.aborted) {
        await db.close();
        throw new AppError("interrupted", `stopped while waiting for the database ${db.target}`);
      }
    }
};
