import { type AppliedStep, findMissingSteps } from "../migrate.ts";
import type { Migration } from "../migrations/migration.ts";
import type { Postgres } from "./postgres.ts";

/** The key of the advisory lock that only one migrating server holds; any number that nobody else uses. */
const MIGRATION_LOCK = 7_263_541_190;

/**
 * Brings a shared database to the newest shape, one transaction a step. Servers that start at the same
 * moment take turns, and each looks anew at what is missing.
 * @throws AppError `config` for a database that a newer version has already changed
 */
export const migratePostgres = async (
  db: Postgres,
  migrations: readonly Migration[],
  now: () => number,
): Promise<number[]> => {
  const done: number[] = [];
  for (;;) {
    const applied = await db.transaction(async (tx) => {
      // Another server's long step is no reason to fail.
      await tx.exec("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0");
      await tx.run("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
      await tx.exec(
        "CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)",
      );
      const known = await tx.all<AppliedStep>("SELECT number, name FROM schema_migrations ORDER BY number");
      const [next] = findMissingSteps(known, migrations, db.target);
      if (!next) return undefined;
      await tx.exec(next.postgres);
      await tx.run("INSERT INTO schema_migrations (number, name, applied_at) VALUES ($1, $2, $3)", [
        next.number,
        next.name,
        now(),
      ]);
      return next.number;
    });
    if (applied === undefined) return done;
    done.push(applied);
  }
};
