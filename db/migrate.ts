import { AppError } from "../core/errors.ts";
import type { Database } from "./database.ts";
import type { Migration } from "./migrations/migration.ts";

export type AppliedStep = { number: number; name: string };

/**
 * The steps that are still to be run, in order.
 * @throws AppError `config` for a database that a newer version has already changed
 */
export const findMissingSteps = <Step extends AppliedStep>(
  applied: readonly AppliedStep[],
  migrations: readonly Step[],
  database: string,
): Step[] => {
  const known = new Set(migrations.map(({ number }) => number));
  const newer = applied.filter(({ number }) => !known.has(number));
  if (newer.length > 0)
    throw new AppError(
      "config",
      `The database ${database} was changed by a newer version (step ${newer.map(({ number, name }) => `${number} ${name}`).join(", ")}); start that version, or restore a backup`,
    );
  const done = new Set(applied.map(({ number }) => number));
  return [...migrations].sort((a, b) => a.number - b.number).filter(({ number }) => !done.has(number));
};

/**
 * Brings the database to the newest shape, one transaction a step: killed at any moment, a step is wholly
 * done or not at all.
 * @throws AppError `config` for a database that a newer version has already changed
 */
export const migrate = (
  db: Database,
  migrations: readonly Omit<Migration, "postgres">[],
  now: () => number,
): number[] => {
  db.exec(
    "CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)",
  );
  const applied = db.all<AppliedStep>("SELECT number, name FROM schema_migrations ORDER BY number");
  const missing = findMissingSteps(applied, migrations, db.path);
  for (const { number, name, sqlite } of missing)
    db.transaction(() => {
      db.exec(sqlite);
      db.run("INSERT INTO schema_migrations (number, name, applied_at) VALUES (?, ?, ?)", [
        number,
        name,
        now(),
      ]);
    });
  return missing.map(({ number }) => number);
};
