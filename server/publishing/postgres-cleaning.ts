import type { Postgres, Transaction } from "../../db/postgres/postgres.ts";
import { addEvent } from "./postgres-sites.ts";
import { NEEDED } from "./store-rows.ts";
import type { PublishingStore } from "./store.ts";

const expireOne = async (tx: Transaction, id: string, at: number): Promise<void> => {
  const row = await tx.get<{ site: string }>(
    "UPDATE deployments SET status = 'expired', expired_at = $1 WHERE id = $2 AND status IN ('pending', 'superseded') RETURNING site",
    [at, id],
  );
  if (!row) return;
  // The grace time of its bytes begins now, not when they were uploaded.
  await tx.run(
    `WITH used AS (
       SELECT b.sha256 FROM blobs b JOIN deployment_blobs d ON d.sha256 = b.sha256
       WHERE d.deployment = $1 ORDER BY b.sha256 FOR UPDATE OF b)
     UPDATE blobs b SET used_at = greatest(b.used_at, $2) FROM used WHERE b.sha256 = used.sha256`,
    [id, at],
  );
  await addEvent(tx, { at, site: row.site, deployment: id, action: "expired", by: "retention" });
};

/** What takes things away. Every server may collect at the same time as every other. */
export const createCleaning = (db: Postgres) =>
  ({
    expire: async (ids, at) => {
      // One transaction each: whoever holds one of them holds up nobody else.
      for (const id of ids) await db.transaction((tx) => expireOne(tx, id, at));
    },
    forgetBlob: (sha256, before) =>
      db.transaction(async (tx) => {
        // Locked first and judged by the next statement: a deployment that names these bytes and is being
        // committed at this moment has touched the row, so we wait for it and then see it.
        if (!(await tx.get("SELECT 1 FROM blobs WHERE sha256 = $1 FOR UPDATE", [sha256]))) return true;
        const sql = `DELETE FROM blobs b WHERE sha256 = $1 AND used_at <= $2 AND NOT ${NEEDED}`;
        return (await tx.run(sql, [sha256, before])) > 0;
      }),
    prune: async (before) => {
      await db.run("DELETE FROM publish_requests WHERE created_at <= $1", [before]);
      return db.run("DELETE FROM deployments WHERE status = 'expired' AND expired_at <= $1", [before]);
    },
  }) satisfies Partial<PublishingStore>;
