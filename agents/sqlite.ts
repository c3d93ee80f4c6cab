import { AppError, errorText } from "../core/errors.ts";
import { copyDatabase } from "./sqlite-copy.ts";

export type Row = Record<string, unknown>;

/** A database of another program, open for reading only. */
export type ReadDatabase = {
  all: (sql: string, values?: readonly (string | number)[]) => Row[];
  close: () => void;
};

type NativeStatement = { all: (...values: unknown[]) => unknown[]; run: (...values: unknown[]) => unknown };
type NativeDatabase = {
  prepare: (sql: string) => NativeStatement;
  exec: (sql: string) => unknown;
  close: () => void;
};

export const BUSY_MS = 5000;

/** Node 22 and 23 warn on stderr of every program that uses their SQLite. What is used of it is as in Node 24. */
const withoutExperimentalWarning = async <T>(load: () => Promise<T>): Promise<T> => {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).startsWith("SQLite is an experimental feature"))
      Reflect.apply(emitWarning, undefined, [warning, ...rest]);
  };
  try {
    return await load();
  } finally {
    process.emitWarning = emitWarning;
  }
};

/** The runtime's own SQLite, which keeps the locks that the owner of the file keeps; undefined on Node < 22.5. */
export const openNative = async (path: string, isReadOnly: boolean): Promise<NativeDatabase | undefined> => {
  // The names are put together so that no bundler or older runtime tries to resolve them ahead of time.
  if (process.versions["bun"]) {
    const { Database } = await import(["bun", "sqlite"].join(":"));
    return new Database(path, isReadOnly ? { readonly: true } : { readwrite: true, create: false });
  }
  try {
    const { DatabaseSync } = await withoutExperimentalWarning(() => import(["node", "sqlite"].join(":")));
    return new DatabaseSync(path, { readOnly: isReadOnly, enableForeignKeyConstraints: false });
  } catch (error) {
    if (/builtin|ERR_UNKNOWN|No such/.test(errorText(error))) return undefined;
    throw error;
  }
};

/** SQLite in WebAssembly knows nothing of other programs' locks: it is only ever given a copy. */
const openCopy = async (path: string): Promise<ReadDatabase> => {
  const { default: sqlite } = await import("node-sqlite3-wasm");
  const copy = copyDatabase(path);
  const database = new sqlite.Database(copy.path);
  database.exec("PRAGMA locking_mode=exclusive");
  return {
    all: (sql, values = []) => database.all(sql, [...values]),
    close: () => {
      database.close();
      copy.remove();
    },
  };
};

/**
 * The runtime's own SQLite, where it can read the file: next to a log it wants to write an index of that log,
 * which a store that is read-only does not let it.
 */
const findReadable = async (path: string): Promise<NativeDatabase | undefined> => {
  let native: NativeDatabase | undefined;
  try {
    native = await openNative(path, true);
    native?.exec(`PRAGMA busy_timeout=${BUSY_MS}`);
    native?.prepare("SELECT name FROM sqlite_master LIMIT 1").all();
    return native;
  } catch (error) {
    native?.close();
    if (/unable to open|readonly|read-only/i.test(errorText(error))) return undefined;
    throw error;
  }
};

/** Opens a database that another program may have open, without ever disturbing it. */
export const openForReading = async (path: string): Promise<ReadDatabase> => {
  const native = await findReadable(path);
  if (!native) return openCopy(path);
  return {
    all: (sql, values = []) => native.prepare(sql).all(...values) as Row[],
    close: () => native.close(),
  };
};

/**
 * Reads from a database of another program.
 * @throws AppError `unavailable` naming the file, when it cannot be opened or is no sound database
 */
export const withDatabase = async <T>(path: string, use: (database: ReadDatabase) => T): Promise<T> => {
  let database: ReadDatabase | undefined;
  try {
    database = await openForReading(path);
    return use(database);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("unavailable", `cannot read ${path}: ${errorText(error)}`, { cause: error });
  } finally {
    database?.close();
  }
};
