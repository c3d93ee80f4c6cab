import { createHash } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import type { Postgres } from "../../db/postgres/postgres.ts";
import { readFromPostgres, readFromSqlite, readPages, rowText } from "./read-rows.ts";
import type { CopiedTable } from "./tables.ts";

/** What a table holds: how many rows, and the SHA-256 of all of them in the order of their key. */
export type TableDigest = { name: string; rows: number; sha256: string };

/** What a table of the folder holds. */
export const digestSource = (source: Database, table: CopiedTable): Promise<TableDigest> =>
  digestTable(table, readFromSqlite(source, table));

const digestTable = async (
  table: CopiedTable,
  read: Parameters<typeof readPages>[1],
): Promise<TableDigest> => {
  const hash = createHash("sha256");
  let count = 0;
  for await (const { rows } of readPages(table, read)) {
    for (const row of rows) hash.update(`${rowText(table, row)}\n`);
    count += rows.length;
  }
  return { name: table.name, rows: count, sha256: hash.digest("hex") };
};

const different = (what: string, source: unknown, target: unknown): AppError =>
  new AppError(
    "bad-data",
    `${what} is not the same in both: ${JSON.stringify(source)} in the folder, ${JSON.stringify(target)} in the database. Was a server started on the folder meanwhile? Make the database empty and run this again`,
  );

/** @throws AppError `bad-data` when the two tables differ in anything */
export const verifyTable = async (
  { source, target }: { source: Database; target: Postgres },
  table: CopiedTable,
): Promise<TableDigest> => {
  const before = await digestSource(source, table);
  const after = await digestTable(table, await readFromPostgres(target, table));
  if (before.rows !== after.rows || before.sha256 !== after.sha256)
    throw different(`The table ${table.name}`, before, after);
  return after;
};

export type BlobTotals = { count: number; bytes: number };

const PAGE = 50;

/** Every blob's digest, computed by the database from the rows it has. @throws AppError `bad-data` */
export const verifyBlobs = async (
  { source, target }: { source: Database; target: Postgres },
  onBlobs: (count: number) => void,
): Promise<BlobTotals> => {
  const expected = source.get<BlobTotals>(
    "SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM blobs",
  ) ?? { count: 0, bytes: 0 };
  const found = { count: 0, bytes: 0 };
  for (let after = ""; ;) {
    const rows = await target.all<{ sha256: string; bytes: number; digest: string }>(
      `SELECT b.sha256, coalesce(sum(length(p.bytes)), 0)::bigint AS bytes,
         encode(sha256(coalesce(string_agg(p.bytes, ''::bytea ORDER BY p.at), ''::bytea)), 'hex') AS digest
       FROM (SELECT b.id, b.sha256 FROM blob_bodies b JOIN blobs r ON r.sha256 = b.sha256 WHERE b.sha256 > $1 ORDER BY b.sha256 LIMIT $2) b
       LEFT JOIN blob_parts p ON p.body = b.id GROUP BY b.id, b.sha256 ORDER BY b.sha256`,
      [after, PAGE],
    );
    for (const { sha256, bytes, digest } of rows) {
      if (digest !== sha256) throw different(`The blob ${sha256}`, sha256, digest);
      found.count += 1;
      found.bytes += bytes;
    }
    onBlobs(rows.length);
    const last = rows.at(-1);
    if (!last) break;
    after = last.sha256;
  }
  if (found.count !== expected.count || found.bytes !== expected.bytes)
    throw different("What there is of blobs", expected, found);
  return found;
};
