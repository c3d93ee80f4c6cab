import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { pack, type Pack } from "tar-stream";
import { AppError } from "../../core/errors.ts";
import { type BlobStore } from "../blobs/blobs.ts";
import type { Database } from "../../db/database.ts";
import { UNDER_WAY } from "./unfinished.ts";

/** First entry of a backup: what it is, and which steps of the database's shape it has. */
export type BackupIndex = {
  format: "nightshift-backup";
  version: 1;
  createdAt: string;
  migrations: number[];
};

export const BACKUP_INDEX = "nightshift-backup.json";
export const BACKUP_DATABASE = "nightshift.sqlite";
export const BACKUP_BLOBS = "blobs/";

type OwnFiles = { db: Database; home: string; blobs: Pick<BlobStore, "list" | "read"> };

/** What there is to copy: the server's own files, or a database that others back up. */
export type BackupSource = OwnFiles | { database: string };

export type BackupPorts = BackupSource & { now: () => number };

/**
 * Everything a server knows as one tar: a copy of the database as it is at this moment, and the blobs. Blobs
 * are never changed, and those that the copy names are kept for a grace time, so the two belong together.
 * @throws AppError `conflict` where everything is in a PostgreSQL, which has its own tools for it
 */
export const createBackup = (ports: BackupPorts): Pack => {
  if ("database" in ports)
    throw new AppError(
      "conflict",
      `This server keeps everything in the database ${ports.database}, which its own tools back up: pg_dump --format=custom --file=nightshift.dump "$DATABASE_URL"`,
    );
  const { db, home, blobs, now } = ports;
  const folder = mkdtempSync(join(home, UNDER_WAY.backup));
  const copy = join(folder, BACKUP_DATABASE);
  const archive = pack();
  void fill(archive, { db, blobs, now, copy })
    .catch((error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))))
    .finally(() => rmSync(folder, { recursive: true, force: true }));
  return archive;
};

const fill = async (
  archive: Pack,
  { db, blobs, now, copy }: Omit<OwnFiles, "home"> & { now: () => number; copy: string },
): Promise<void> => {
  await db.settled();
  db.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`);
  const migrations = db.all<{ number: number }>("SELECT number FROM schema_migrations ORDER BY number");
  const index: BackupIndex = {
    format: "nightshift-backup",
    version: 1,
    createdAt: new Date(now()).toISOString(),
    migrations: migrations.map(({ number }) => number),
  };
  await addBytes(archive, BACKUP_INDEX, Buffer.from(`${JSON.stringify(index)}\n`));
  await pipeline(
    createReadStream(copy),
    archive.entry({ name: BACKUP_DATABASE, mode: 0o600, size: statSync(copy).size }),
  );
  for await (const sha256 of blobs.list()) {
    const bytes = await readIfThere(blobs, sha256);
    if (bytes) await addBytes(archive, `${BACKUP_BLOBS}${sha256}`, bytes);
  }
  archive.finalize();
};

/** One that was collected since it was listed was none that the copy of the database names. */
const readIfThere = async (blobs: OwnFiles["blobs"], sha256: string): Promise<Uint8Array | undefined> => {
  try {
    return await blobs.read(sha256);
  } catch (error) {
    if (error instanceof AppError && error.code === "not-found") return undefined;
    throw error;
  }
};

const addBytes = (archive: Pack, name: string, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    archive.entry({ name, mode: 0o600, size: bytes.byteLength }, Buffer.from(bytes), (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
