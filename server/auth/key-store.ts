import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";

/** A key of the memory for another writer; its text is stored nowhere. */
export type MemoryKey = {
  id: string;
  writer: string;
  access: "read" | "write";
  scopes: string[];
  createdAt: number;
};

/** Keys by the hash of their text. */
export type KeyStore = {
  /** @throws AppError `conflict` when the writer has one */
  add: (key: MemoryKey, hash: string) => Promise<void>;
  findByHash: (hash: string) => Promise<MemoryKey | undefined>;
  list: () => Promise<MemoryKey[]>;
  remove: (id: string) => Promise<boolean>;
};

export type KeyRow = {
  id: string;
  writer: string;
  access: MemoryKey["access"];
  scopes: string;
  created_at: number;
};

export const KEY_COLUMNS = "id, writer, access, scopes, created_at";

export const toKey = (row: KeyRow): MemoryKey => ({
  id: row.id,
  writer: row.writer,
  access: row.access,
  scopes: JSON.parse(row.scopes) as string[],
  createdAt: row.created_at,
});

/** What a new key's row holds, in the order of `memory_keys`. */
export const keyValues = (key: MemoryKey, hash: string) => [
  key.id,
  hash,
  key.writer,
  key.access,
  JSON.stringify(key.scopes),
  key.createdAt,
];

export const writerHasKey = (writer: string, cause?: unknown): AppError =>
  new AppError("conflict", `There is a key of the writer "${writer}" already; revoke it first`, { cause });

/** The store on the server's own SQLite database. */
export const createSqliteKeyStore = (db: Database): KeyStore => ({
  add: (key, hash) =>
    db.write(() => {
      if (db.get("SELECT 1 FROM memory_keys WHERE writer = ?", [key.writer])) throw writerHasKey(key.writer);
      db.run("INSERT INTO memory_keys VALUES (?, ?, ?, ?, ?, ?)", keyValues(key, hash));
    }),
  findByHash: async (hash) => {
    const row = db.get<KeyRow>(`SELECT ${KEY_COLUMNS} FROM memory_keys WHERE hash = ?`, [hash]);
    return row && toKey(row);
  },
  list: async () =>
    db.all<KeyRow>(`SELECT ${KEY_COLUMNS} FROM memory_keys ORDER BY created_at, id`).map(toKey),
  remove: (id) => db.write(() => db.run("DELETE FROM memory_keys WHERE id = ?", [id]) > 0),
});
