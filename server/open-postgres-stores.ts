import { mkdirSync } from "node:fs";
import { createPostgresAuth } from "./auth/postgres-auth.ts";
import { createPostgresApprovals } from "./auth/approvals/approval-store.ts";
import type { DatabaseSettings } from "./database-settings.ts";
import type { BlobStep } from "./blobs/blobs.ts";
import { MIGRATIONS } from "../db/migrations/index.ts";
import { migratePostgres } from "../db/postgres/migrate-postgres.ts";
import { openPostgres } from "../db/postgres/open-postgres.ts";
import { statementsOnPostgres } from "../db/statements.ts";
import { createFleet } from "./fleet/store.ts";
import type { Log } from "../core/log.ts";
import { createPostgresStores } from "./memory/postgres/store.ts";
import { createPushStore } from "./push/store.ts";
import { createNightStore } from "./night/create-store.ts";
import { openOnce } from "./queue/ports.ts";
import type { Stores } from "./stores.ts";
import { refuseUnfinished } from "./migrate/progress.ts";
import { createSecurityLogStore } from "./security-log/create-store.ts";
import { openPostgresPublishing } from "./publishing/postgres-publishing.ts";

type Inputs = {
  home: string;
  log: Log;
  now: () => number;
  signal?: AbortSignal | undefined;
  onStep?: ((step: BlobStep) => void) | undefined;
};

/** The stores on a PostgreSQL that any number of servers share, brought to the newest shape first. */
export const openPostgresStores = async (
  settings: DatabaseSettings,
  { home, log, now, signal, onStep }: Inputs,
): Promise<Stores> => {
  // For the files with the keys: everything else is in the database.
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const db = await openPostgres(settings, { log, signal });
  try {
    await refuseUnfinished(db);
    const steps = await migratePostgres(db, MIGRATIONS, now);
    if (steps.length > 0) log.info({ database: db.target, steps }, "migrated the database");
    const statements = statementsOnPostgres(db);
    const memory = await createPostgresStores(db, now);
    const publishing = await openPostgresPublishing(db, { home, now, onStep });
    return {
      memory,
      publishing,
      auth: createPostgresAuth(db),
      approvals: createPostgresApprovals(db, now),
      securityLog: createSecurityLogStore(statements),
      fleet: createFleet(db),
      night: createNightStore(statements),
      push: createPushStore(db),
      // Its engine is loaded by the first who asks for it.
      queue: { open: openOnce(async () => (await import("../queue/desk.ts")).openDesk(db)) },
      backup: { database: db.target },
      ping: db.ping,
      close: async () => {
        await publishing.close();
        await db.close();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
};
