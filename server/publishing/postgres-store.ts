import { AppError } from "../../core/errors.ts";
import { isForeignKeyViolation } from "../../db/postgres/failure.ts";
import type { Postgres } from "../../db/postgres/postgres.ts";
import { activateInTransaction } from "./postgres-activate.ts";
import { createCleaning } from "./postgres-cleaning.ts";
import { measureKept, recordHeld, selectHeld } from "./postgres-held.ts";
import { createInTransaction, importInTransaction } from "./postgres-create.ts";
import { addEvent, lockSite, tellSiteChanged } from "./postgres-sites.ts";
import { createReads } from "./store-reads.ts";
import type { PublishingStore } from "./store.ts";

const createChanges = (db: Postgres) =>
  ({
    createDeployment: (deployment, key, quota) =>
      db.transaction((tx) => createInTransaction(tx, deployment, { key, quota })),
    recordBlob: async (name, at, site) => {
      try {
        await recordHeld(db, name, { at, site });
      } catch (error) {
        if (!isForeignKeyViolation(error)) throw error;
        throw new AppError(
          "unavailable",
          `The bytes of ${name.sha256} were just collected; send them again`,
          {
            cause: error,
            details: { retryAfterSeconds: 1 },
          },
        );
      }
    },
    activate: (request) => db.transaction((tx) => activateInTransaction(tx, request)),
    setPinned: (id, pinned, event) =>
      db.transaction(async (tx) => {
        await tx.run("UPDATE deployments SET pinned = $1 WHERE id = $2", [pinned ? 1 : 0, id]);
        await addEvent(tx, event);
      }),
    deleteDeployment: (id, event) =>
      db.transaction(async (tx) => {
        await lockSite(tx, event.site);
        const deleted = await tx.run("DELETE FROM deployments WHERE id = $1 AND status <> 'active'", [id]);
        if (deleted === 0) return false;
        await addEvent(tx, event);
        await tx.run("UPDATE sites SET version = version + 1 WHERE name = $1", [event.site]);
        await tellSiteChanged(tx, event.site);
        return true;
      }),
    deleteSite: (name, event) =>
      db.transaction(async (tx) => {
        await tx.run("DELETE FROM sites WHERE name = $1", [name]);
        await addEvent(tx, event);
        await tellSiteChanged(tx, name);
      }),
    importSite: (site, deployments, event) =>
      db.transaction((tx) => importInTransaction(tx, site, { deployments, event })),
  }) satisfies Partial<PublishingStore>;

/** The store on a PostgreSQL that any number of servers share. */
export const createPostgresStore = (db: Postgres): PublishingStore => ({
  ...createReads(db),
  findHeld: (site, names) => selectHeld(db, site, names),
  measureKept: (site, names) => measureKept(db, site, names),
  findMissing: async (names) => {
    const rows = await db.all<{ sha256: string }>("SELECT sha256 FROM blobs WHERE sha256 = ANY($1)", [
      names.map(({ sha256 }) => sha256),
    ]);
    const there = new Set(rows.map(({ sha256 }) => sha256));
    return names.filter(({ sha256 }) => !there.has(sha256));
  },
  ...createChanges(db),
  ...createCleaning(db),
});
