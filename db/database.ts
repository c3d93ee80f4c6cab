import sqlite from "node-sqlite3-wasm";
import type { Database as Connection, Statement } from "node-sqlite3-wasm";
import { toDiskFailure } from "./disk-failure.ts";
import { createWriteQueue } from "./write-queue.ts";

export type SqlValue = number | bigint | string | Uint8Array | null;

/**
 * The one connection of the one process that owns the file. Calls are synchronous and statements are
 * prepared once. Reads may be made at any time; changes go through `write`. Text must be
 * free of U+0000: the engine ends a text there. A full or failing disk is an AppError `storage-full` or
 * `unavailable`, and nothing of the change that met it is there.
 */
export type Database = {
  path: string;
  /** the first row; put LIMIT 1 where there may be more */
  get: <Row>(sql: string, values?: SqlValue[]) => Row | undefined;
  all: <Row>(sql: string, values?: SqlValue[]) => Row[];
  /** @returns the number of rows changed */
  run: (sql: string, values?: SqlValue[]) => number;
  /** statements without values, several at once: migrations and pragmas */
  exec: (sql: string) => void;
  /** Runs `work` in one transaction, rolled back when it throws. Inside another one it is a savepoint. */
  transaction: <T>(work: () => T) => T;
  /**
   * Queues a change. What is queued together is committed together (one fsync), each change under its own
   * savepoint, so one that throws undoes only itself. Resolves after the commit is on disk.
   */
  write: <T>(work: () => T) => Promise<T>;
  /** Resolves when everything queued so far is committed. */
  settled: () => Promise<void>;
  close: () => void;
};

// Statements that callers build from lists of varying length must not pile up.
const MAX_STATEMENTS = 300;

export const connect = (path: string): Connection => new sqlite.Database(path);

export const wrapConnection = (connection: Connection, path: string): Database => {
  const statements = new Map<string, Statement>();
  let depth = 0;

  const discard = (sql: string, statement: Statement): void => {
    statements.delete(sql);
    try {
      statement.finalize();
    } catch {
      // finalize() repeats the failure of the last step; the statement is gone all the same.
    }
  };

  const prepared = (sql: string): Statement => {
    const known = statements.get(sql);
    if (known) return known;
    if (statements.size >= MAX_STATEMENTS) {
      const [oldest, statement] = statements.entries().next().value ?? [];
      if (oldest !== undefined && statement) discard(oldest, statement);
    }
    // SQLite numbers `$1` by where it first stands in the text, `?1` by its number, as PostgreSQL does.
    const statement = connection.prepare(sql.replaceAll(/\$(\d+)/g, "?$1"));
    statements.set(sql, statement);
    return statement;
  };

  // A statement whose last step failed cannot be reset by this library, so it is not kept.
  const use = <T>(sql: string, act: (statement: Statement) => T): T => {
    const statement = prepared(sql);
    try {
      return act(statement);
    } catch (error) {
      discard(sql, statement);
      throw toDiskFailure(error, path);
    }
  };

  const exec = (sql: string): void => {
    try {
      connection.exec(sql);
    } catch (error) {
      throw toDiskFailure(error, path);
    }
  };

  // Never the library's `get`: it leaves the statement in the middle of its rows, and no commit succeeds.
  const all = <Row>(sql: string, values: SqlValue[] = []): Row[] =>
    use(sql, (statement) => statement.all(values)) as Row[];

  const transaction = <T>(work: () => T): T => {
    const level = depth;
    exec(level === 0 ? "BEGIN IMMEDIATE" : `SAVEPOINT level_${level}`);
    depth = level + 1;
    try {
      const result = work();
      exec(level === 0 ? "COMMIT" : `RELEASE level_${level}`);
      return result;
    } catch (error) {
      undo(connection, level);
      throw error;
    } finally {
      depth = level;
    }
  };

  const queue = createWriteQueue(transaction);
  return {
    path,
    get: <Row>(sql: string, values?: SqlValue[]) => all<Row>(sql, values)[0],
    all,
    run: (sql, values = []) => use(sql, (statement) => statement.run(values).changes),
    exec,
    transaction,
    write: queue.add,
    settled: queue.settled,
    close: () => {
      for (const [sql, statement] of statements) discard(sql, statement);
      connection.close();
    },
  };
};

const undo = (connection: Connection, level: number): void => {
  // A failed COMMIT (disk full) may have rolled back by itself.
  if (!connection.inTransaction) return;
  connection.exec(level === 0 ? "ROLLBACK" : `ROLLBACK TO level_${level}; RELEASE level_${level}`);
};
