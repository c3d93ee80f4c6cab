import type { Database } from "../../db/database.ts";
import { statementsOn } from "../../db/statements.ts";
import { activateInTransaction } from "./sqlite-activate.ts";
import { measureKept, recordHeld, selectHeld } from "./sqlite-held.ts";
import { createInTransaction, importInTransaction } from "./sqlite-create.ts";
import { ADD_EVENT, eventValues, NEEDED } from "./store-rows.ts";
import { createReads } from "./store-reads.ts";
import type { PublishingStore } from "./store.ts";

const changes = (db: Database) =>
  ({
    createDeployment: (deployment, key, quota) =>
      db.write(() => createInTransaction(db, deployment, { key, quota })),
    recordBlob: (name, at, site) => db.write(() => recordHeld(db, name, { at, site })),
    activate: (request) => db.write(() => activateInTransaction(db, request)),
    setPinned: (id, pinned, event) =>
      db.write(() => {
        db.run("UPDATE deployments SET pinned = ? WHERE id = ?", [pinned ? 1 : 0, id]);
        db.run(ADD_EVENT, eventValues(event));
      }),
    deleteDeployment: (id, event) =>
      db.write(() => {
        const deleted = db.run("DELETE FROM deployments WHERE id = ? AND status <> 'active'", [id]) > 0;
        if (deleted) db.run(ADD_EVENT, eventValues(event));
        return deleted;
      }),
    deleteSite: (name, event) =>
      db.write(() => {
        db.run("DELETE FROM sites WHERE name = ?", [name]);
        db.run(ADD_EVENT, eventValues(event));
      }),
    importSite: (site, deployments, event) =>
      db.write(() => importInTransaction(db, site, { deployments, event })),
  }) satisfies Partial<PublishingStore>;

const cleaning = (db: Database) =>
  ({
    expire: (ids, at) =>
      db.write(() => {
        for (const id of ids) {
          const row = db.get<{ site: string }>("SELECT site FROM deployments WHERE id = ?", [id]);
          const sql =
            "UPDATE deployments SET status = 'expired', expired_at = ? WHERE id = ? AND status IN ('pending', 'superseded')";
          if (!row || db.run(sql, [at, id]) === 0) continue;
          // The grace time of its bytes begins now, not when they were uploaded.
          db.run(
            "UPDATE blobs SET used_at = max(used_at, ?) WHERE sha256 IN (SELECT sha256 FROM deployment_blobs WHERE deployment = ?)",
            [at, id],
          );
          db.run(
            ADD_EVENT,
            eventValues({ at, site: row.site, deployment: id, action: "expired", by: "retention" }),
          );
        }
      }),
    forgetBlob: (sha256, before) =>
      db.write(() => {
        if (!db.get("SELECT 1 FROM blobs WHERE sha256 = ?", [sha256])) return true;
        const sql = `DELETE FROM blobs AS b WHERE sha256 = ? AND used_at <= ? AND NOT ${NEEDED}`;
        return db.run(sql, [sha256, before]) > 0;
      }),
    prune: (before) =>
      db.write(() => {
        db.run("DELETE FROM publish_requests WHERE created_at <= ?", [before]);
        return db.run("DELETE FROM deployments WHERE status = 'expired' AND expired_at <= ?", [before]);
      }),
  }) satisfies Partial<PublishingStore>;

/** The store on the server's own SQLite database. */
export const createSqliteStore = (db: Database): PublishingStore => ({
  ...createReads(statementsOn(db)),
  findHeld: async (site, names) => selectHeld(db, site, names),
  measureKept: async (site, names) => measureKept(db, site, names),
  findMissing: async (names) =>
    names.filter(({ sha256 }) => !db.get("SELECT 1 FROM blobs WHERE sha256 = ?", [sha256])),
  ...changes(db),
  ...cleaning(db),
});
