import { spawnSync } from "node:child_process";
import { AppError, errorText } from "../core/errors.ts";
import { BUSY_MS, openNative } from "./sqlite.ts";
import type { Statement } from "./store.ts";

/** What is done to a database in one go: statements in one transaction, with more before and after it. */
export type Batch = {
  before?: readonly string[];
  statements: readonly Statement[];
  after?: readonly string[];
  /** asked last; its first row is the answer */
  query?: string;
};

const literal = (value: string | number | null): string => {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  // A NUL would end the statement: such a text goes as bytes.
  return value.includes("\0")
    ? `CAST(X'${Buffer.from(value).toString("hex")}' AS TEXT)`
    : `'${value.replaceAll("'", "''")}'`;
};

const inline = ({ sql, values }: Statement): string => {
  let index = 0;
  return sql.replaceAll("?", () => literal(values[index++] ?? null));
};

const MARK = "--answer--";

const toScript = ({ before = [], statements, after = [], query }: Batch): string =>
  [
    `.timeout ${BUSY_MS}`,
    ".bail on",
    "PRAGMA foreign_keys=OFF;",
    ...before.map((sql) => `${sql};`),
    "BEGIN IMMEDIATE;",
    ...statements.map((statement) => `${inline(statement)};`),
    "COMMIT;",
    ...after.map((sql) => `${sql};`),
    ...(query === undefined ? [] : [`.print ${MARK}`, `${query};`]),
  ].join("\n");

const BUN_SCRIPT = `
import { Database } from "bun:sqlite";
const { path, batch, busyMs, mark } = await Bun.stdin.json();
const database = new Database(path, { readwrite: true, create: false });
database.exec("PRAGMA busy_timeout=" + busyMs);
database.exec("PRAGMA foreign_keys=OFF");
for (const sql of batch.before ?? []) database.exec(sql);
database.transaction(() => {
  for (const { sql, values } of batch.statements) database.query(sql).run(...values);
}).immediate();
for (const sql of batch.after ?? []) database.exec(sql);
if (batch.query) await Bun.write(Bun.stdout, mark + "\\n" + Object.values(database.query(batch.query).get() ?? {}).join("|"));
database.close();`;

type Run = { status: number | null; stdout: string; stderr: string };

/** Programs that bring a native SQLite along, for runtimes that have none (Node < 22.5). */
const PROGRAMS: readonly ((path: string, batch: Batch) => Run | undefined)[] = [
  (path, batch) => {
    // The user's own .sqliterc may change what is printed.
    const child = spawnSync("sqlite3", ["-init", "/dev/null", "-batch", path], {
      input: toScript(batch),
      encoding: "utf8",
    });
    return child.error ? undefined : child;
  },
  (path, batch) => {
    const input = JSON.stringify({ path, batch, busyMs: BUSY_MS, mark: MARK });
    const child = spawnSync("bun", ["-e", BUN_SCRIPT], { input, encoding: "utf8" });
    return child.error ? undefined : child;
  },
];

const writeError = (path: string, reason: string, cause?: unknown): AppError =>
  new AppError(
    /disk is full/.test(reason) ? "storage-full" : "unavailable",
    `cannot write ${path}: ${reason}`,
    { cause },
  );

/** SQLite has rolled back by itself after some failures: the first one is what matters. */
const rollBack = (native: { exec: (sql: string) => unknown }): void => {
  try {
    native.exec("ROLLBACK");
  } catch {
    return;
  }
};

const runWithProgram = (path: string, batch: Batch): readonly unknown[] => {
  for (const program of PROGRAMS) {
    const run = program(path, batch);
    if (!run) continue;
    if (run.status === 0) return (run.stdout.split(`${MARK}\n`)[1] ?? "").trim().split("|");
    const reason = /(?:SQLiteError|[Ee]rror): *(.+)/.exec(run.stderr)?.[1] ?? run.stderr.trim();
    throw writeError(path, reason);
  }
  throw new AppError(
    "unavailable",
    `writing ${path} needs native SQLite: use Bun or Node >= 22.5, or install the sqlite3 program`,
  );
};

/**
 * Runs a batch with native locks only; of its transaction all or nothing happens.
 * @returns the values of the first row of its query
 */
export const runBatch = async (path: string, batch: Batch): Promise<readonly unknown[]> => {
  const native = await openNative(path, false);
  if (!native) return runWithProgram(path, batch);
  try {
    native.exec(`PRAGMA busy_timeout=${BUSY_MS}`);
    native.exec("PRAGMA foreign_keys=OFF");
    for (const sql of batch.before ?? []) native.exec(sql);
    native.exec("BEGIN IMMEDIATE");
    try {
      for (const { sql, values } of batch.statements) native.prepare(sql).run(...values);
      native.exec("COMMIT");
    } catch (error) {
      rollBack(native);
      throw error;
    }
    for (const sql of batch.after ?? []) native.exec(sql);
    const [row] = batch.query === undefined ? [] : native.prepare(batch.query).all();
    return Object.values(row ?? {});
  } catch (error) {
    throw writeError(path, errorText(error), error);
  } finally {
    native.close();
  }
};

/** Runs statements in one transaction, with native locks only: all of them, or none. */
export const runStatements = async (path: string, statements: readonly Statement[]): Promise<void> => {
  await runBatch(path, { statements });
};
