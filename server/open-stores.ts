import { createSqliteAuth } from "./auth/auth-stores.ts";
import { removeUnfinished } from "./backup/unfinished.ts";
import type { BlobStep } from "./blobs/blobs.ts";
import { createSqliteApprovals } from "./auth/approvals/approval-store.ts";
import { openDatabase } from "../db/open-database.ts";
import { statementsOn } from "../db/statements.ts";
import { createFleet } from "./fleet/store.ts";
import type { Log } from "../core/log.ts";
import { createSqliteStores } from "./memory/sqlite/store.ts";
import { createSecurityLogStore } from "./security-log/create-store.ts";
import { createPushStore } from "./push/store.ts";
import { createNightStore } from "./night/create-store.ts";
import type { Settings } from "./settings.ts";
import type { Stores } from "./stores.ts";
import { openSqlitePublishing } from "./publishing/sqlite-publishing.ts";

type OpenPorts = {
  log: Log;
  now: () => number;
  signal?: AbortSignal | undefined;
  onStep?: ((step: BlobStep) => void) | undefined;
};

/** The shared PostgreSQL when there is a `DATABASE_URL`, else the SQLite file of this server alone. */
export const openStores = async (
  { home, database }: Pick<Settings, "home" | "database">,
  { log, now, signal, onStep }: OpenPorts,
): Promise<Stores> => {
  if (!database) return openSqliteStores(home, { now, onStep });
  // Only who has a DATABASE_URL pays for loading its client.
  const { openPostgresStores } = await import("./open-postgres-stores.ts");
  return openPostgresStores(database, { home, log, now, signal, onStep });
};

const openSqliteStores = async (
  home: string,
  { now, onStep }: { now: () => number; onStep?: ((step: BlobStep) => void) | undefined },
): Promise<Stores> => {
  const db = openDatabase(home, { now });
  const statements = statementsOn(db);
  removeUnfinished(home);
  const publishing = await openSqlitePublishing(db, { home, onStep });
  return {
    memory: createSqliteStores(db, now),
    publishing,
    auth: createSqliteAuth(db, now),
    approvals: createSqliteApprovals(db, now),
    securityLog: createSecurityLogStore(statements),
    fleet: createFleet(statements),
    night: createNightStore(statements),
    push: createPushStore(statements),
    queue: { open: undefined },
    backup: { db, home, blobs: publishing.blobs },
    ping: async () => {
      db.get("SELECT 1");
    },
    close: async () => {
      await db.settled();
      db.close();
    },
  };
};
