import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { openDiskBlobs } from "../blobs/blobs-disk.ts";
import { createPostgresPut } from "../blobs/blobs-postgres.ts";
import type { Database } from "../../db/database.ts";
import { MIGRATIONS } from "../../db/migrations/index.ts";
import { DATABASE_FILE, openDatabase } from "../../db/open-database.ts";
import { migratePostgres } from "../../db/postgres/migrate-postgres.ts";
import type { Postgres } from "../../db/postgres/postgres.ts";
import { rebuildIfOutdated } from "../memory/postgres/index.ts";
import { copyBlobs } from "./copy-blobs.ts";
import { copyRows } from "./copy-rows.ts";
import { beginProgress, endProgress, type Finished, findFinished, findSource, isThere } from "./progress.ts";
import { type CopiedTable, readCopiedTables } from "./tables.ts";
import { type BlobTotals, digestSource, type TableDigest, verifyBlobs, verifyTable } from "./verify.ts";

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
  /** nothing was to be done: an earlier run had come to its end */
  isRepeated: boolean;
  /** when everything was compared and was the same */
  finishedAt: string;
  tables: TableDigest[];
  blobs: BlobTotals;
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

const findFull = async (target: Postgres, tables: readonly CopiedTable[]): Promise<string[]> => {
  const full: string[] = [];
  for (const name of ["blob_bodies", ...tables.map((table) => table.name)])
    if ((await isThere(target, name)) && (await target.get(`SELECT 1 FROM "${name}" LIMIT 1`)))
      full.push(name);
  return full;
};

/** Whether the folder is still what was copied: who asks for the same again has it, whatever servers did since. */
const checkUnchanged = async (
  source: Database,
  finished: Finished,
  { tables, onTable }: { tables: readonly CopiedTable[]; onTable: (digest: TableDigest) => void },
): Promise<void> => {
  for (const table of tables) {
    const now = await digestSource(source, table);
    const then = finished.tables.find(({ name }) => name === table.name);
    if (now.rows !== then?.rows || now.sha256 !== then.sha256)
      throw new AppError(
        "conflict",
        `The folder ${finished.source} was copied into this database at ${new Date(finished.at).toISOString()}, and has changed since (${table.name}); to copy it as it is now, name an empty database (createdb <name>)`,
      );
    onTable(now);
  }
};

type State = { kind: "empty" | "unfinished" } | { kind: "done"; finished: Finished };

/** Looks before anything is changed: whether the target is empty, or ours, done or half-done. */
const checkTarget = async (
  target: Postgres,
  tables: readonly CopiedTable[],
  source: string,
): Promise<State> => {
  const unfinished = await findSource(target);
  if (unfinished === source) return { kind: "unfinished" };
  if (unfinished !== undefined)
    throw new AppError(
      "conflict",
      `The database ${target.target} has half of what is in ${unfinished}; go on with: nightshift migrate --from ${unfinished}, or name an empty database`,
    );
  const full = await findFull(target, tables);
  if (full.length === 0) return { kind: "empty" };
  const finished = await findFinished(target);
  if (finished?.source === source) return { kind: "done", finished };
  throw new AppError(
    "conflict",
    `The database ${target.target} is not empty: there are rows in ${full.join(", ")}; name an empty one (createdb <name>)`,
  );
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
): Promise<Omit<MigrateReport, "from" | "to">> => {
  const tables = readCopiedTables(source);
  const stored = source.get<{ count: number }>("SELECT count(*) AS count FROM blobs")?.count ?? 0;
  const total = tables.reduce((sum, table) => sum + countRows(source, table), 0);
  let done = 0;
  const verified = (name: string, count: number): void => {
    done += count;
    onEvent({ step: "verifying", name, done, total: total + stored });
  };

  const state = await checkTarget(target, tables, home);
  if (state.kind === "done") {
    const { finished } = state;
    await checkUnchanged(source, finished, { tables, onTable: ({ name, rows }) => verified(name, rows) });
    return { ...toReport(finished), isResumed: false, isRepeated: true };
  }
  const isResumed = state.kind === "unfinished";
  await migratePostgres(target, MIGRATIONS, now);
  await beginProgress(target, home);

  const ports = {
    source,
    target,
    from: openDiskBlobs(join(home, "blobs")),
    put: createPostgresPut(target),
  };
  await copyBlobs(ports, () =>
    onEvent({ step: "blobs", name: "files of sites", done: ++done, total: stored }),
  );

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
  for (const table of tables) {
    const digest = await verifyTable({ source, target }, table);
    digests.push(digest);
    verified(table.name, digest.rows);
  }
  const blobs = await verifyBlobs({ source, target }, (count) => verified("files of sites", count));
  const finished = { source: home, at: now(), tables: digests, blobs };
  await endProgress(target, finished);
  return { ...toReport(finished), isResumed, isRepeated: false };
};

const toReport = ({ at, tables, blobs }: Finished) => ({
  finishedAt: new Date(at).toISOString(),
  tables,
  blobs,
});

/**
 * Copies everything of a server's data folder into an empty PostgreSQL and compares the two. It may be ended
 * at any moment, also by kill -9: the same call goes on where it was. The folder is only read, and no server
 * can use either of the two meanwhile. Asked for again when it has been done, it changes nothing.
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
