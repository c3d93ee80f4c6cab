import { AppError, errorText } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import type { Postgres, Transaction } from "../../db/postgres/postgres.ts";
import { readProgress, writeProgress } from "./progress.ts";
import { readFromSqlite, readPages, type Row } from "./read-rows.ts";
import type { CopiedTable } from "./tables.ts";

const toJson = (rows: readonly Row[]): string =>
  JSON.stringify(rows, (_name, value: unknown) => {
    if (typeof value === "bigint") return Number(value);
    return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
  });

const insertRows = async (tx: Transaction, { name, columns }: CopiedTable, rows: Row[]): Promise<void> => {
  const list = columns.map((column) => `"${column}"`).join(", ");
  // The database turns each value into its column's type; what only it has gets its default.
  await tx.run(
    `INSERT INTO "${name}" (${list}) SELECT ${list} FROM json_populate_recordset(NULL::"${name}", $1::text::json)`,
    [toJson(rows)],
  );
};

/** The next row gets a number that no row ever had, deleted ones included. */
const continueNumbering = async (tx: Transaction, { name, numbering }: CopiedTable): Promise<void> => {
  if (numbering && numbering.highest > 0)
    await tx.run("SELECT setval(pg_get_serial_sequence($1, $2), $3::bigint)", [
      name,
      numbering.column,
      numbering.highest,
    ]);
};

/**
 * Copies what is still missing of a table. Rows and the note of how far it is are one transaction, so that
 * whenever this ends, the next run goes on behind the last row that is there.
 */
export const copyRows = async (
  { source, target }: { source: Database; target: Postgres },
  table: CopiedTable,
  onRows: (count: number) => void,
): Promise<void> => {
  const { after, isDone } = await readProgress(target, table.name);
  if (isDone) return;
  try {
    for await (const { rows, last } of readPages(table, readFromSqlite(source, table), after)) {
      await target.transaction(async (tx) => {
        await insertRows(tx, table, rows);
        await writeProgress(tx, table.name, { after: last, isDone: false });
      });
      onRows(rows.length);
    }
    await target.transaction(async (tx) => {
      await continueNumbering(tx, table);
      await writeProgress(tx, table.name, { after: undefined, isDone: true });
    });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("bad-data", `The rows of ${table.name} cannot be copied: ${errorText(error)}`, {
      cause: error,
    });
  }
};
