import { isUniqueViolation } from "../../db/postgres/failure.ts";
import type { Postgres } from "../../db/postgres/postgres.ts";
import { KEY_COLUMNS, type KeyRow, type KeyStore, keyValues, toKey, writerHasKey } from "./key-store.ts";

/** The store on a PostgreSQL that any number of servers share: a key revoked on one is refused by all. */
export const createPostgresKeyStore = (db: Postgres): KeyStore => ({
  add: async (key, hash) => {
    try {
      await db.run(
        "INSERT INTO memory_keys (id, hash, writer, access, scopes, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        keyValues(key, hash),
      );
    } catch (error) {
      if (!isUniqueViolation(error, "memory_keys_writer_key")) throw error;
      throw writerHasKey(key.writer, error);
    }
  },
  findByHash: async (hash) => {
    const row = await db.get<KeyRow>(`SELECT ${KEY_COLUMNS} FROM memory_keys WHERE hash = $1`, [hash]);
    return row && toKey(row);
  },
  list: async () =>
    (await db.all<KeyRow>(`SELECT ${KEY_COLUMNS} FROM memory_keys ORDER BY created_at, id`)).map(toKey),
  remove: async (id) => (await db.run("DELETE FROM memory_keys WHERE id = $1", [id])) > 0,
});
