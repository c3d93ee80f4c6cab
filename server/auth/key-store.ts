import { AppError } from "../../core/errors.ts";
import { insertion, named } from "../../db/rows.ts";
import type { Statements } from "../../db/statements.ts";

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

const KEY_COLUMNS = "id, writer, access, scopes, created_at";

const toKey = (row: { scopes: string }): MemoryKey => ({
  ...named<MemoryKey>(row),
  scopes: JSON.parse(row.scopes) as string[],
});

/** The store on either database; where servers share one, a key revoked on one is refused by all. */
export const createKeyStore = (db: Statements): KeyStore => ({
  add: async (key, hash) => {
    const [text, values] = insertion("memory_keys", { ...key, hash, scopes: JSON.stringify(key.scopes) });
    const added = await db.run(`${text} ON CONFLICT (writer) DO NOTHING`, values);
    if (added === 0)
      throw new AppError("conflict", `There is a key of the writer "${key.writer}" already; revoke it first`);
  },
  findByHash: async (hash) => {
    const row = await db.get<{ scopes: string }>(`SELECT ${KEY_COLUMNS} FROM memory_keys WHERE hash = $1`, [
      hash,
    ]);
    return row && toKey(row);
  },
  list: async () =>
    (await db.all<{ scopes: string }>(`SELECT ${KEY_COLUMNS} FROM memory_keys ORDER BY created_at, id`)).map(
      toKey,
    ),
  remove: async (id) => (await db.run("DELETE FROM memory_keys WHERE id = $1", [id])) > 0,
});
