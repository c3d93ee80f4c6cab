import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { openDiskBlobs } from "../db/blobs-disk.ts";
import { createPostgresPut } from "../db/blobs-postgres.ts";
import type { Database } from "../db/database.ts";
import { MIGRATIONS } from "../db/migrations/index.ts";
import { DATABASE_FILE, openDatabase } from "../db/open-database.ts";
import { migratePostgres } from "../db/postgres/migrate-postgres.ts";
import type { Postgres } from "../db/postgres/postgres.ts";
import { rebuildIfOutdated } from "../memory/postgres-index.ts";
import { copyBlobs } from "./copy-blobs.ts";
import { copyRows } from "./copy-rows.ts";
import { beginProgress, endProgress, findSource } from "./progress.ts";
import { type CopiedTable, readCopiedTables } from "./tables.ts";
import { type TableDigest, verifyBlobs, verifyTable } from "./verify.ts";

/** What is being done, and how far it is; `total` is of the same unit. */
export type MigrateEvent = {
  step: "blobs" | "rows" | "verifying";
  name: string;
  done: number;
  total: number;
};

export type MigrateReport = {
  from: string;
  to: string;
  isResumed: boolean;
  tables: TableDigest[];
  blobs: { count: number; bytes: number };
};

const countRows = (db: Database, { name, without }: CopiedTable): number =>
  db.get<{ count: number }>(
    `SELECT count(*) AS count FROM "${name}" ${without === undefined ? "" : `WHERE ${without}`}`,
  )?.count ?? 0;

const countCopied = async (target: Postgres, tables: readonly CopiedTable[]): Promise<number> => {
  let copied = 0;
  for (const { name } of tables)
    copied += (await target.get<{ count: number }>(`SELECT count(*) AS count FROM "${name}"`))?.count ?? 0;
  return copied;
};

/** Looks before anything is changed: whether the target is empty, or ours and unfinished. */
const checkTarget = async (
  target: Postgres,
  tables: readonly CopiedTable[],
  source: string,
): Promise<boolean> => {
  const unfinished = await findSource(target);
  if (unfinished === source) return true;
  if (unfinished !== undefined)
    throw new AppError(
      "conflict",
      `The database ${target.target} has half of what is in ${unfinished}; go on with: nightshift migrate --from ${unfinished}, or name an empty database`,
    );
  const full: string[] = [];
  for (const name of ["blob_bodies", ...tables.map((table) => table.name)]) {
    const there = await target.get<{ is_there: boolean }>("SELECT to_regclass($1) IS NOT NULL AS is_there", [
      name,
    ]);
    if (there?.is_there && (await target.get(`SELECT 1 FROM "${name}" LIMIT 1`))) full.push(name);
  }
  if (full.length > 0)
    throw new AppError(
      "conflict",
      `The database ${target.target} is not empty: there are rows in ${full.join(", ")}; name an empty one (createdb <name>)`,
    );
  return false;
};

const openSource = (home: string, now: () => number): Database => {
  if (!existsSync(join(home, DATABASE_FILE)))
    throw new AppError("not-found", `There is no ${DATABASE_FILE} in ${home}; name a server's data folder`);
  return openDatabase(home, { now });
};

type Ports = { target: Postgres; now: () => number; onEvent: (event: MigrateEvent) => void };

const copyAll = async (
  { source, target, now, onEvent }: Ports & { source: Database },
  home: string,
): Promise<Pick<MigrateReport, "tables" | "blobs" | "isResumed">> => {
  const tables = readCopiedTables(source);
  const isResumed = await checkTarget(target, tables, home);
  await migratePostgres(target, MIGRATIONS, now);
  await beginProgress(target, home);

  const stored = source.get<{ count: number }>("SELECT count(*) AS count FROM blobs")?.count ?? 0;
  let done = 0;
  const ports = {
    source,
    target,
    from: openDiskBlobs(join(home, "blobs")),
    put: createPostgresPut(target),
  };
  await copyBlobs(ports, () =>
    onEvent({ step: "blobs", name: "files of sites", done: ++done, total: stored }),
  );

  const total = tables.reduce((sum, table) => sum + countRows(source, table), 0);
  done = isResumed ? await countCopied(target, tables) : 0;
  for (const table of tables)
    await copyRows({ source, target }, table, (count) => {
      done += count;
      onEvent({ step: "rows", name: table.name, done, total });
    });
  // What searching needs is made here from the rows, by this database's own engine.
  await rebuildIfOutdated(target);

  const digests: TableDigest[] = [];
  done = 0;
  const verified = (name: string, count: number): void => {
    done += count;
    onEvent({ step: "verifying", name, done, total: total + stored });
  };
  for (const table of tables) {
    const digest = await verifyTable({ source, target }, table);
    digests.push(digest);
    verified(table.name, digest.rows);
  }
  const blobs = await verifyBlobs({ source, target }, (count) => verified("files of sites", count));
  await endProgress(target);
  return { tables: digests, blobs, isResumed };
};

/**
 * Copies everything of a server's data folder into an empty PostgreSQL and compares the two. It may be ended
 * at any moment, also by kill -9: the same call goes on where it was. The folder is only read, and no server
 * can use either of the two meanwhile.
 * @throws AppError `locked` while a server uses the folder, `conflict` for a database that is not empty,
 *   `bad-data` for data that cannot be copied or came out different
 */
export const migrateFolder = async (folder: string, ports: Ports): Promise<MigrateReport> => {
  const source = openSource(folder, ports.now);
  try {
    const home = realpathSync(folder);
    const report = await copyAll({ ...ports, source }, home);
    return { from: home, to: ports.target.target, ...report };
  } finally {
    source.close();
  }
};
