import { AppError } from "../core/errors.ts";
import type { Environment } from "../core/paths.ts";
import { MIGRATIONS } from "../db/migrations/index.ts";
import { migratePostgres } from "../db/postgres/migrate-postgres.ts";
import { openPostgres } from "../db/postgres/open-postgres.ts";
import type { Log } from "../core/log.ts";
import { queueOn, type Queue } from "./queue.ts";

const STATEMENT_TIMEOUT_MS = 15_000;

/** @throws AppError `config` when there is none, or it is not a PostgreSQL address (it is never repeated: it may hold a password) */
export const databaseUrl = (env: Environment): string => {
  const url = env["DATABASE_URL"];
  if (!url)
    throw new AppError(
      "config",
      "the queue needs a PostgreSQL database: set DATABASE_URL=postgres://user:password@host/database",
    );
  if (URL.canParse(url) && /^postgres(?:ql)?:$/.test(new URL(url).protocol)) return url;
  throw new AppError("config", "DATABASE_URL is not a PostgreSQL address (postgres://…)");
};

/**
 * Opens the queue of a database and brings its tables into shape.
 * @throws AppError `unavailable` when the database is not there within `waitMs`, `config` when it refuses us
 */
export const openQueue = async (
  { url, poolSize, waitMs }: { url: string; poolSize: number; waitMs: number },
  { log }: { log: Log },
): Promise<Queue> => {
  const db = await openPostgres({ url, poolSize, waitMs, statementTimeoutMs: STATEMENT_TIMEOUT_MS }, { log });
  try {
    await migratePostgres(db, MIGRATIONS, Date.now);
    return await queueOn(db);
  } catch (error) {
    await db.close();
    throw error;
  }
};
