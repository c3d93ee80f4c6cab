import { afterAll, beforeAll } from "vitest";
import { MIGRATIONS } from "../../db/migrations/index.ts";
import { migratePostgres } from "../../db/postgres/migrate-postgres.ts";
import { hasPostgres } from "./find-postgres.ts";
import { openTestPostgres } from "./open-test-postgres.ts";
import { type PostgresOptions, startPostgres, type TestPostgres } from "./start-postgres.ts";

export type UsedPostgres = {
  server: () => TestPostgres;
  /** A fresh database in the newest shape, by its URL. */
  newDatabase: () => Promise<string>;
};

/** One PostgreSQL for all tests of the file (or describe) that calls this; nothing where none is installed. */
export const usePostgres = (options: PostgresOptions = {}): UsedPostgres => {
  let started: TestPostgres | undefined;
  let template: string | undefined;
  const server = (): TestPostgres => {
    if (!started) throw new Error("PostgreSQL is not installed, or not started yet");
    return started;
  };
  beforeAll(async () => {
    if (!hasPostgres) return;
    started = await startPostgres(options);
    template = await started.createTemplate(async (url) => {
      const db = await openTestPostgres(url);
      await migratePostgres(db, MIGRATIONS, Date.now);
      await db.close();
    });
  });
  afterAll(() => started?.stop());
  return { server, newDatabase: () => server().createDatabase(template) };
};
