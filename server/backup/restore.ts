import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { extract } from "tar-stream";
import { syncFolder } from "../../core/durable-file.ts";
import { AppError, errorText } from "../../core/errors.ts";
import { lockOrThrow } from "../../core/file-lock.ts";
import { openDiskBlobs } from "../blobs/blobs-disk.ts";
import { DATABASE_FILE, LOCK_FILE, openDatabase } from "../../db/open-database.ts";
import { BACKUP_BLOBS, BACKUP_DATABASE, BACKUP_INDEX, type BackupIndex } from "./backup.ts";
import { UNDER_WAY } from "./unfinished.ts";

export type Restored = { createdAt: string; blobs: number; previous: string | undefined };

/**
 * Puts a backup in the place of what a data folder holds. Everything is unpacked and checked first; then
 * the database is exchanged in one rename. The one before stays beside it.
 * @throws AppError `locked` while a server uses the folder, `conflict` for a folder in use without `replace`,
 *   `not-found` for no file, `bad-data` for something that is not a complete backup
 */
export const restoreBackup = async (
  file: string,
  { home, replace, now }: { home: string; replace: boolean; now: () => number },
): Promise<Restored> => {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (replace) foldLog(home, now);
  const lock = lockOrThrow(join(home, LOCK_FILE), {
    label: "nightshift restore",
    what: `the data folder ${home}`,
    hint: "stop the server first",
  });
  const folder = mkdtempSync(join(home, UNDER_WAY.restore));
  try {
    const path = join(home, DATABASE_FILE);
    if (existsSync(path) && !replace)
      throw new AppError(
        "conflict",
        `${home} already has data; add --replace to put the backup in its place`,
      );
    if (!existsSync(file)) throw new AppError("not-found", `there is no file ${file}`);
    const { index, blobs } = await unpack(file, { folder, home });
    checkDatabase(folder, now);
    const previous = exchange(join(folder, DATABASE_FILE), path, now());
    return { createdAt: index.createdAt, blobs, previous };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    lock.release();
  }
};

/**
 * Brings what is only in the present database's write-ahead log into its file: in the exchange the two are apart
 * for a moment, and a restore that is killed then must not cost what the log has.
 */
const foldLog = (home: string, now: () => number): void => {
  if (!existsSync(join(home, `${DATABASE_FILE}-wal`))) return;
  try {
    openDatabase(home, { now }).close();
  } catch {
    // Damaged: then it is kept as it is, log and all. In use: that is told a moment later.
  }
};

const broken = (file: string, why: string): AppError =>
  new AppError("bad-data", `${file} is not a complete backup: ${why}`);

const unpack = async (
  file: string,
  { folder, home }: { folder: string; home: string },
): Promise<{ index: BackupIndex; blobs: number }> => {
  const stored = openDiskBlobs(join(home, "blobs"), {});
  let index: BackupIndex | undefined;
  let hasDatabase = false;
  let blobs = 0;
  const archive = extract();
  const source = createReadStream(file);
  source.on("error", (error) => archive.destroy(error));
  source.pipe(archive);
  try {
    for await (const entry of archive) {
      const { name, size } = entry.header;
      // tar-stream declares its chunks as unknown; they are buffers.
      const bytes = entry as AsyncIterable<Buffer>;
      if (name === BACKUP_INDEX) index = readIndex(await readAll(bytes));
      else if (name === BACKUP_DATABASE) hasDatabase = await writeDurably(bytes, join(folder, DATABASE_FILE));
      else if (index && /^blobs\/[0-9a-f]{64}$/.test(name)) {
        await stored.put({ sha256: name.slice(BACKUP_BLOBS.length), size }, bytes, async () => {});
        blobs += 1;
      } else throw broken(file, `unexpected entry "${name.slice(0, 80)}"`);
    }
  } catch (error) {
    throw error instanceof AppError ? error : broken(file, errorText(error));
  }
  if (!index || !hasDatabase) throw broken(file, "it ends too early");
  return { index, blobs };
};

const readIndex = (bytes: Buffer): BackupIndex => {
  const value = JSON.parse(bytes.toString("utf8")) as BackupIndex;
  if (value.format !== "nightshift-backup" || value.version !== 1)
    throw new AppError("bad-data", "this is not a backup that this version can read");
  return value;
};

const readAll = async (entry: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const writeDurably = async (entry: AsyncIterable<Buffer>, path: string): Promise<true> => {
  const handle = openSync(path, "wx", 0o600);
  try {
    for await (const chunk of entry) writeSync(handle, chunk);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return true;
};

/** Opens the copy as a server would: a damaged or newer one fails here, before anything is exchanged. */
const checkDatabase = (folder: string, now: () => number): void => {
  openDatabase(folder, { now }).close();
};

const exchange = (from: string, to: string, now: number): string | undefined => {
  let previous: string | undefined;
  if (existsSync(to)) {
    previous = `${to}.before-restore-${now}`;
    copyFileSync(to, previous);
    // What the old write-ahead log holds must never be applied to the new file.
    for (const suffix of ["-wal", "-shm"])
      if (existsSync(`${to}${suffix}`)) renameSync(`${to}${suffix}`, `${previous}${suffix}`);
    rmSync(`${to}.lock`, { recursive: true, force: true });
  }
  renameSync(from, to);
  syncFolder(dirname(to));
  return previous;
};
