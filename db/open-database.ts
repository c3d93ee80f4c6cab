import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { writeFileDurably } from "../core/durable-file.ts";
import { readFileIfThere } from "../core/read-file.ts";
import { AppError, errorText } from "../core/errors.ts";
import { lockOrThrow } from "../core/file-lock.ts";
import { type ChildIdentity, isAlive, ownIdentity } from "../core/process-identity.ts";
import { connect, type Database, wrapConnection } from "./database.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations/index.ts";

export const DATABASE_FILE = "nightshift.sqlite";
export const LOCK_FILE = "server.lock";
const OPENER_FILE = "server.opener.json";

/**
 * Opens the data folder's database for this process alone: our lock first, then the left-over of a killed
 * owner, then EXCLUSIVE and WAL (the engine's default journal tears transactions when the process is
 * killed, docs/server.md), a check of the file, and the missing migrations.
 * @throws AppError `locked` naming the process that has it, `unavailable` for a damaged file
 */
export const openDatabase = (home: string, { now = Date.now }: { now?: () => number } = {}): Database => {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const lock = lockOrThrow(join(home, LOCK_FILE), {
    label: "nightshift server",
    what: `the data folder ${home}`,
    hint: "stop that process, or set NIGHTSHIFT_HOME to another folder",
  });
  try {
    const path = join(home, DATABASE_FILE);
    removeDeadLock(home, path);
    const db = openOwned(path);
    try {
      migrate(db, MIGRATIONS, now);
    } catch (error) {
      db.close();
      throw error;
    }
    return {
      ...db,
      close: () => {
        db.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
};

/**
 * SQLite's WASM build locks with a folder beside the file, which a killed process leaves behind for ever.
 * We hold our own lock, so no server of ours has the file open; who opened it last is on record, and only
 * when that process is proven dead is its folder removed.
 */
const removeDeadLock = (home: string, path: string): void => {
  const openerFile = join(home, OPENER_FILE);
  const lockFolder = `${path}.lock`;
  if (existsSync(lockFolder)) {
    const opener = readOpener(openerFile);
    if (!opener || (isAlive(opener) && opener.pid !== process.pid))
      throw new AppError(
        "locked",
        `${path} is open in ${opener ? `process ${opener.pid}` : "a program that is not ours"}; when you are sure that nothing uses it, remove the folder ${lockFolder}`,
      );
    rmdirSync(lockFolder);
  }
  writeFileDurably(openerFile, `${JSON.stringify(ownIdentity())}\n`, { mode: 0o600 });
};

const readOpener = (file: string): ChildIdentity | undefined => {
  try {
    const value = JSON.parse(readFileIfThere(file) ?? "null") as Partial<ChildIdentity> | null;
    const { pid, startTime, bootId } = value ?? {};
    return typeof pid === "number" && typeof startTime === "string" && typeof bootId === "string"
      ? { pid, startTime, bootId }
      : undefined;
  } catch {
    return undefined;
  }
};

const openOwned = (path: string): Database => {
  const db = wrapConnection(connect(path), path);
  try {
    expectAnswer(db, "PRAGMA locking_mode=EXCLUSIVE", "exclusive");
    expectAnswer(db, "PRAGMA journal_mode=WAL", "wal");
    db.exec(
      "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA cache_size=-32000; PRAGMA temp_store=MEMORY",
    );
    expectAnswer(db, "PRAGMA quick_check(1)", "ok");
    return db;
  } catch (error) {
    db.close();
    if (error instanceof AppError) throw error;
    throw new AppError("unavailable", `cannot open ${path}: ${errorText(error)}`, { cause: error });
  }
};

const expectAnswer = (db: Database, pragma: string, expected: string): void => {
  const row = db.get<Record<string, unknown>>(pragma);
  const answer = row === undefined ? "nothing" : String(Object.values(row)[0]);
  if (answer !== expected)
    throw new AppError(
      "unavailable",
      `${db.path}: "${pragma}" answered "${answer}" and not "${expected}"; the server does not start on it. Restore a backup with: nightshift restore <file>`,
    );
};
