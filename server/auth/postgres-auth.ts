import type { Postgres } from "../../db/postgres/postgres.ts";
import type { AuthStores } from "./auth-stores.ts";
import { createKeyStore } from "./key-store.ts";
import { createPostgresRateLimiters, forgetIdleBuckets } from "./postgres-rate-limit.ts";
import { createTokenStore } from "./token-store.ts";

/** On a PostgreSQL that any number of servers share. */
export const createPostgresAuth = (db: Postgres): AuthStores => ({
  tokens: createTokenStore(db),
  keys: createKeyStore(db),
  limiters: createPostgresRateLimiters(db),
  isShared: true,
  tidy: async () => {
    await forgetIdleBuckets(db);
  },
});
