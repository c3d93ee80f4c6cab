import type { Database } from "./db/database.ts";
import { openDatabase } from "./db/open-database.ts";
import type { Log } from "./log.ts";
import { createSqliteStores } from "./memory/sqlite-store.ts";
import type { MemoryStores } from "./memory/store.ts";
import type { Settings } from "./settings.ts";

/** Where everything of a server lives. */
export type Stores = {
  db: Database;
  memory: MemoryStores;
  /** fails while the database does not answer */
  ping: () => Promise<void>;
  close: () => Promise<void>;
};

/** The shared PostgreSQL when there is a `DATABASE_URL`, else the SQLite file of this server alone. */
export const openStores = async (
  settings: Pick<Settings, "home" | "database">,
  { log, now }: { log: Log; now: () => number },
): Promise<Stores> => {
  const sqlite = openSqliteStores(settings.home, now);
  if (!settings.database) return sqlite;
  try {
    // Only who has a DATABASE_URL pays for loading its client.
    const { openPostgresStores } = await import("./open-postgres-stores.ts");
    const postgres = await openPostgresStores(settings.database, { log, now });
    return {
      ...sqlite,
      ...postgres,
      close: async () => {
        await postgres.close();
        await sqlite.close();
      },
    };
  } catch (error) {
    await sqlite.close();
    throw error;
  }
};

const openSqliteStores = (home: string, now: () => number): Stores => {
  const db = openDatabase(home, { now });
  return {
    db,
    memory: createSqliteStores(db, now),
    ping: async () => {
      db.get("SELECT 1");
    },
    close: async () => {
      await db.settled();
      db.close();
    },
  };
};
