import { AppError } from "../../core/errors.ts";
import type { Postgres, Queries } from "../../db/postgres/postgres.ts";
import type { KeyValues } from "./read-rows.ts";
import type { BlobTotals, TableDigest } from "./verify.ts";

const TABLE = "nightshift_migration";
const SOURCE = "source";

/** How far each table is, in the target itself: written in the transaction that writes the rows. */
export type CopyProgress = { after: KeyValues | undefined; isDone: boolean };

export const isThere = async (db: Queries, table: string): Promise<boolean> =>
  (await db.get<{ is_there: boolean }>("SELECT to_regclass($1) IS NOT NULL AS is_there", [table]))
    ?.is_there ?? false;

const isUnderWay = (db: Queries): Promise<boolean> => isThere(db, TABLE);

/** @throws AppError `config` for a database into which data is being copied, or was not copied to the end */
export const refuseUnfinished = async (db: Postgres): Promise<void> => {
  if (await isUnderWay(db))
    throw new AppError(
      "config",
      `Data is being copied into the database ${db.target}, or was not copied to its end; run the same nightshift migrate again, and start the server when it has ended`,
    );
};

/** The folder from which an unfinished migration into this database copies. */
export const findSource = async (db: Queries): Promise<string | undefined> =>
  (await isUnderWay(db))
    ? (await db.get<{ after: string }>(`SELECT after FROM ${TABLE} WHERE name = $1`, [SOURCE]))?.after
    : undefined;

export const beginProgress = async (db: Postgres, source: string): Promise<void> => {
  await db.transaction(async (tx) => {
    await tx.exec(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (name TEXT PRIMARY KEY, after TEXT, is_done BOOLEAN NOT NULL)`,
    );
    await tx.run(`INSERT INTO ${TABLE} VALUES ($1, $2, false) ON CONFLICT (name) DO NOTHING`, [
      SOURCE,
      source,
    ]);
  });
};

export const readProgress = async (db: Queries, table: string): Promise<CopyProgress> => {
  const row = await db.get<{ after: string | null; is_done: boolean }>(
    `SELECT after, is_done FROM ${TABLE} WHERE name = $1`,
    [`table ${table}`],
  );
  return {
    after: typeof row?.after === "string" ? (JSON.parse(row.after) as KeyValues) : undefined,
    isDone: row?.is_done ?? false,
  };
};

export const writeProgress = async (
  tx: Queries,
  table: string,
  { after, isDone }: CopyProgress,
): Promise<void> => {
  await tx.run(
    `INSERT INTO ${TABLE} VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET after = EXCLUDED.after, is_done = EXCLUDED.is_done`,
    [`table ${table}`, after ? JSON.stringify(after) : null, isDone],
  );
};

const DONE_TABLE = "nightshift_migrated";

/** A migration that came to its end: from where, when, and what was the same in both. */
export type Finished = { source: string; at: number; tables: TableDigest[]; blobs: BlobTotals };

/** From now on servers may use the database; that this was done is kept for whoever asks for it again. */
export const endProgress = async (db: Postgres, { source, at, ...same }: Finished): Promise<void> => {
  await db.transaction(async (tx) => {
    await tx.exec(
      `DROP TABLE IF EXISTS ${DONE_TABLE}; CREATE TABLE ${DONE_TABLE} (source TEXT NOT NULL, at BIGINT NOT NULL, same TEXT NOT NULL); DROP TABLE ${TABLE}`,
    );
    await tx.run(`INSERT INTO ${DONE_TABLE} VALUES ($1, $2, $3)`, [source, at, JSON.stringify(same)]);
  });
};

/** The migration that was done into this database last. */
export const findFinished = async (db: Queries): Promise<Finished | undefined> => {
  if (!(await isThere(db, DONE_TABLE))) return undefined;
  const row = await db.get<{ source: string; at: number; same: string }>(`SELECT * FROM ${DONE_TABLE}`);
  return (
    row && { source: row.source, at: row.at, ...(JSON.parse(row.same) as Pick<Finished, "tables" | "blobs">) }
  );
};
