import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";

/** One table that is copied row by row. The key is its primary key, in which order it is read. */
export type CopiedTable = {
  name: string;
  columns: string[];
  key: string[];
  /** the column that numbers the rows by itself, and the highest number it ever gave */
  numbering?: { column: string; highest: number };
  /** rows that stay behind, by a condition that both databases understand */
  without?: string;
};

/** What is made from other tables, by the database it is in: never copied. */
const DERIVED = /^(memory_index|memory_spellings|memory_terms|memory_totals)(_|$)/;
const OF_THE_DATABASE = /^(schema_migrations$|sqlite_)/;
/** says which version of the program made what is derived */
const LEFT_BEHIND: Readonly<Record<string, string>> = { memory_settings: "name <> 'analysis_version'" };

/** What only a shared database has: bytes of blobs (copied from their files), limits, the queue, and our own. */
export const ONLY_SHARED =
  /^(blob_(bodies|parts|variants)|rate_limits|queue_\w+|nightshift_(migration|migrated))$/;

/** Whether a table's content comes about by itself. */
export const isMade = (name: string): boolean => DERIVED.test(name) || OF_THE_DATABASE.test(name);

type ColumnInfo = { name: string; pk: number };

const readTable = (db: Database, name: string): CopiedTable => {
  const columns = db.all<ColumnInfo>(`SELECT name, pk FROM pragma_table_info('${name}') ORDER BY cid`);
  const key = columns
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk)
    .map((column) => column.name);
  if (key.length === 0) throw new AppError("internal", `the table ${name} has no primary key to copy it by`);
  const numbered = db.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = ?", [name]);
  const without = LEFT_BEHIND[name];
  return {
    name,
    columns: columns.map((column) => column.name),
    key,
    ...(numbered && key[0] !== undefined ? { numbering: { column: key[0], highest: numbered.seq } } : {}),
    ...(without === undefined ? {} : { without }),
  };
};

/** Every table that has to be copied, each behind those that its rows refer to. */
export const readCopiedTables = (db: Database): CopiedTable[] => {
  const names = db
    .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    .map(({ name }) => name)
    .filter((name) => !isMade(name));
  const sorted: string[] = [];
  const add = (name: string): void => {
    if (sorted.includes(name)) return;
    const needs = db.all<{ table: string }>(`SELECT "table" FROM pragma_foreign_key_list('${name}')`);
    for (const { table } of needs) if (table !== name) add(table);
    sorted.push(name);
  };
  for (const name of names) add(name);
  return sorted.map((name) => readTable(db, name));
};
