import { AppError } from "../../core/errors.ts";
import { isForeignKeyViolation } from "../../db/postgres/failure.ts";
import type { Dialect, StoreDatabase } from "../../db/statements.ts";
import { get, run, type Steps } from "../../db/steps.ts";
import { activateSteps } from "./store-activate.ts";
import { createSteps, importSteps } from "./store-create.ts";
import { digestsIn, measureKept, recordHeld, selectHeld, toParameter, useBlobs } from "./store-held.ts";
import { createReads } from "./store-reads.ts";
import { NEEDED } from "./store-rows.ts";
import { addEvent, lockSite, tellSiteChanged } from "./store-sites.ts";
import type { PublishingStore } from "./store.ts";

const createChanges = ({ transact, dialect }: StoreDatabase) =>
  ({
    createDeployment: (deployment, key, quota) =>
      transact(() => createSteps(dialect, deployment, { key, quota })),
    recordBlob: async (name, at, site) => {
      try {
        await transact(() => recordHeld(name, { at, site }));
      } catch (error) {
        if (!isForeignKeyViolation(error)) throw error;
        throw new AppError(
          "unavailable",
          `The bytes of ${name.sha256} were just collected; send them again`,
          { cause: error, details: { retryAfterSeconds: 1 } },
        );
      }
    },
    activate: (request) => transact(() => activateSteps(dialect, request)),
    setPinned: (id, pinned, event) =>
      transact(function* () {
        yield* run("UPDATE deployments SET pinned = $1 WHERE id = $2", [pinned ? 1 : 0, id]);
        yield* addEvent(event);
      }),
    deleteDeployment: (id, event) =>
      transact(function* () {
        yield* lockSite(dialect, event.site);
        const deleted = yield* run("DELETE FROM deployments WHERE id = $1 AND status <> 'active'", [id]);
        if (deleted === 0) return false;
        yield* addEvent(event);
        yield* run("UPDATE sites SET version = version + 1 WHERE name = $1", [event.site]);
        yield* tellSiteChanged(dialect, event.site);
        return true;
      }),
    deleteSite: (name, event) =>
      transact(function* () {
        yield* run("DELETE FROM sites WHERE name = $1", [name]);
        yield* addEvent(event);
        yield* tellSiteChanged(dialect, name);
      }),
    importSite: (site, deployments, event) =>
      transact(() => importSteps(dialect, site, { deployments, event })),
  }) satisfies Partial<PublishingStore>;

const expireOne = function* (dialect: Dialect, id: string, at: number): Steps<void> {
  const row = yield* get<{ site: string }>(
    "UPDATE deployments SET status = 'expired', expired_at = $1 WHERE id = $2 AND status IN ('pending', 'superseded') RETURNING site",
    [at, id],
  );
  if (!row) return;
  // The grace time of its bytes begins now, not when they were uploaded.
  const which = (deployment: string): string =>
    `SELECT sha256 FROM deployment_blobs WHERE deployment = ${deployment}`;
  yield* useBlobs(dialect, which, { value: id, at });
  yield* addEvent({ at, site: row.site, deployment: id, action: "expired", by: "retention" });
};

/** What takes things away. Every server may collect at the same time as every other. */
const createCleaning = ({ transact, dialect }: StoreDatabase) =>
  ({
    expire: async (ids, at) => {
      // One transaction each: whoever holds one of them holds up nobody else.
      for (const id of ids) await transact(() => expireOne(dialect, id, at));
    },
    forgetBlob: (sha256, before) =>
      transact(function* () {
        // Locked first and judged by the next statement: a deployment that names these bytes and is being
        // committed at this moment has touched the row, so we wait for it and then see it.
        const known = yield* get(`SELECT 1 FROM blobs WHERE sha256 = $1 ${dialect.forUpdate}`, [sha256]);
        if (!known) return true;
        const sql = `DELETE FROM blobs AS b WHERE sha256 = $1 AND used_at <= $2 AND NOT ${NEEDED}`;
        return (yield* run(sql, [sha256, before])) > 0;
      }),
    prune: (before) =>
      transact(function* () {
        yield* run("DELETE FROM publish_requests WHERE created_at <= $1", [before]);
        return yield* run("DELETE FROM deployments WHERE status = 'expired' AND expired_at <= $1", [before]);
      }),
  }) satisfies Partial<PublishingStore>;

/** What is published, on either database. */
export const createPublishingStore = (db: StoreDatabase): PublishingStore => ({
  ...createReads(db),
  findHeld: (site, names) => selectHeld(db, site, names),
  measureKept: (site, names) => db.transact(() => measureKept(db.dialect, site, names)),
  findMissing: async (names) => {
    const rows = await db.all<{ sha256: string }>(
      `SELECT n.sha256 FROM (${digestsIn(db.dialect, "$1")}) AS n
       WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.sha256 = n.sha256)`,
      [toParameter(names)],
    );
    const missing = new Set(rows.map(({ sha256 }) => sha256));
    return names.filter(({ sha256 }) => missing.has(sha256));
  },
  ...createChanges(db),
  ...createCleaning(db),
});
