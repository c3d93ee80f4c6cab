import { AppError, errorText } from "../../core/errors.ts";
import { type AppliedStep, findMissingSteps } from "../migrate.ts";
import type { Migration } from "../migrations/migration.ts";
import { isRefusal } from "./failure.ts";
import type { Postgres, Transaction } from "./postgres.ts";

/** The key of the advisory lock that only one migrating server holds; any number that nobody else uses. */
const MIGRATION_LOCK = 7_263_541_190;

/**
 * Brings a shared database to the newest shape, one transaction a step. Servers that start at the same
 * moment take turns, and each looks again at what is missing.
 * @throws AppError `config` for a database that a newer version has already changed, or in which our user
 *   may not make tables
 */
export const migratePostgres = async (
  db: Postgres,
  migrations: readonly Migration[],
  now: () => number,
): Promise<number[]> => {
  const done: number[] = [];
  for (;;) {
    const applied = await db
      .transaction((tx) => applyNext(tx, migrations, { target: db.target, now }))
      .catch(explainTo(db.target));
    if (applied === undefined) return done;
    done.push(applied);
  }
};

const applyNext = async (
  tx: Transaction,
  migrations: readonly Migration[],
  { target, now }: { target: string; now: () => number },
): Promise<number | undefined> => {
  // Another server's long step is no reason to fail.
  await tx.exec("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0");
  await tx.run("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  await tx.exec(
    "CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)",
  );
  const known = await tx.all<AppliedStep>("SELECT number, name FROM schema_migrations ORDER BY number");
  const [next] = findMissingSteps(known, migrations, target);
  if (!next) return undefined;
  await tx.exec(next.postgres);
  await tx.run("INSERT INTO schema_migrations (number, name, applied_at) VALUES ($1, $2, $3)", [
    next.number,
    next.name,
    now(),
  ]);
  return next.number;
};

/** Waiting does not give us rights: a person has to. */
const explainTo =
  (target: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || !isRefusal(error.cause)) throw error;
    throw new AppError(
      "config",
      `cannot use the database ${target}: ${errorText(error.cause)}; the user of DATABASE_URL has to own the database or its schema`,
      { cause: error.cause },
    );
  };
