import type { Database, SqlValue } from "../../db/database.ts";
import type { Postgres } from "../../db/postgres/postgres.ts";
import type { CopiedTable } from "./tables.ts";

export type Row = Record<string, SqlValue>;
/** The values of a row's key; what comes after it is read next. */
export type KeyValues = (string | number)[];

/** Few enough that a page of deployments, each with its list of files, is some megabytes. */
const PAGE_ROWS = 200;

const list = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(", ");

const keyOf = ({ key }: CopiedTable, row: Row): KeyValues =>
  key.map((column) => {
    const value = row[column];
    return typeof value === "string" ? value : Number(value);
  });

type Read = (after: KeyValues | undefined) => Row[] | Promise<Row[]>;

/** Reads a table page by page, from behind a key on. */
export const readPages = async function* (
  table: CopiedTable,
  read: Read,
  after?: KeyValues,
): AsyncGenerator<{ rows: Row[]; last: KeyValues }> {
  for (let from = after; ;) {
    const rows = await read(from);
    const last = rows.at(-1);
    if (last === undefined) return;
    from = keyOf(table, last);
    yield { rows, last: from };
  }
};

const conditions = ({ without }: CopiedTable, behind: string | undefined): string => {
  const all = [without, behind].filter((condition) => condition !== undefined);
  return all.length === 0 ? "" : `WHERE ${all.join(" AND ")}`;
};

export const readFromSqlite =
  (db: Database, table: CopiedTable): Read =>
  (after) => {
    const { name, columns, key } = table;
    const behind = after && `(${list(key)}) > (${key.map(() => "?").join(", ")})`;
    const sql = `SELECT ${list(columns)} FROM "${name}" ${conditions(table, behind)} ORDER BY ${list(key)} LIMIT ${PAGE_ROWS}`;
    return db.all<Row>(sql, after ?? []);
  };

/** In the same order: texts by their bytes, whatever the collation of the column. */
export const readFromPostgres = async (db: Postgres, table: CopiedTable): Promise<Read> => {
  const { name, columns, key } = table;
  const types = await db.all<{ column_name: string; data_type: string }>(
    "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1",
    [name],
  );
  const isText = (column: string): boolean =>
    types.some(({ column_name, data_type }) => column_name === column && data_type === "text");
  const ordered = key
    .map((column) => (isText(column) ? `"${column}" COLLATE "C"` : `"${column}"`))
    .join(", ");
  return (after) => {
    const behind = after && `(${ordered}) > (${key.map((_, index) => `$${index + 1}`).join(", ")})`;
    const sql = `SELECT ${list(columns)} FROM "${name}" ${conditions(table, behind)} ORDER BY ${ordered} LIMIT ${PAGE_ROWS}`;
    return db.all<Row>(sql, after ?? []);
  };
};

/** A row as a text that is the same from both databases. */
export const rowText = ({ columns }: CopiedTable, row: Row): string =>
  JSON.stringify(
    columns.map((column) => {
      const value = row[column];
      if (typeof value === "bigint") return Number(value);
      return value instanceof Uint8Array ? { hex: Buffer.from(value).toString("hex") } : value;
    }),
  );
