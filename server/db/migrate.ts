import { AppError } from "../../core/errors.ts";
import type { Database } from "./database.ts";
import type { Migration } from "./migrations/migration.ts";

/**
 * Brings the database to the newest shape, one transaction a step: killed at any moment, a step is wholly
 * done or not at all.
 * @throws AppError `config` for a database that a newer version has already changed
 */
export const migrate = (db: Database, migrations: readonly Migration[], now: () => number): number[] => {
  db.exec(
    "CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)",
  );
  const applied = db.all<{ number: number; name: string }>("SELECT number, name FROM schema_migrations");
  const known = new Set(migrations.map(({ number }) => number));
  const newer = applied.filter(({ number }) => !known.has(number));
  if (newer.length > 0)
    throw new AppError(
      "config",
      `The database ${db.path} was changed by a newer version (step ${newer.map(({ number, name }) => `${number} ${name}`).join(", ")}); start that version, or restore a backup`,
    );
  const done = new Set(applied.map(({ number }) => number));
  const missing = [...migrations]
    .sort((a, b) => a.number - b.number)
    .filter(({ number }) => !done.has(number));
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
