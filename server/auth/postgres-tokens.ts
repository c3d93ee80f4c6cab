import type { Postgres } from "../../db/postgres/postgres.ts";
import { TOKEN_COLUMNS, type TokenRow, type TokenStore, tokenValues, toToken } from "./token-store.ts";

/** The store on a PostgreSQL that any number of servers share: a token revoked on one is refused by all. */
export const createPostgresTokenStore = (db: Postgres): TokenStore => ({
  add: async (token) => {
    await db.run(
      `INSERT INTO tokens (${TOKEN_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      tokenValues(token),
    );
  },
  list: async () =>
    (await db.all<TokenRow>("SELECT * FROM tokens ORDER BY created_at DESC, id")).map(toToken),
  findByDigest: async (sha256) => {
    const row = await db.get<TokenRow>("SELECT * FROM tokens WHERE sha256 = $1", [sha256]);
    return row && toToken(row);
  },
  remove: async (id) => (await db.run("DELETE FROM tokens WHERE id = $1", [id])) > 0,
  touch: async (id, at) => {
    await db.run("UPDATE tokens SET last_used_at = greatest(last_used_at, $1) WHERE id = $2", [at, id]);
  },
  addSession: async ({ sha256, token, expiresAt }, now) => {
    await db.run("DELETE FROM sessions WHERE expires_at <= $1", [now]);
    await db.run("INSERT INTO sessions (sha256, token, expires_at) VALUES ($1, $2, $3)", [
      sha256,
      token,
      expiresAt,
    ]);
  },
  findBySession: async (sha256, now) => {
    const row = await db.get<TokenRow>(
      "SELECT t.* FROM sessions s JOIN tokens t ON t.id = s.token WHERE s.sha256 = $1 AND s.expires_at > $2",
      [sha256, now],
    );
    return row && toToken(row);
  },
  removeSession: async (sha256) => {
    await db.run("DELETE FROM sessions WHERE sha256 = $1", [sha256]);
  },
});
