import type { Postgres } from "../../db/postgres/postgres.ts";
import type { AuthStores } from "./auth-stores.ts";
import { createPostgresKeyStore } from "./postgres-keys.ts";
import { createPostgresRateLimiters, forgetIdleBuckets } from "./postgres-rate-limit.ts";
import { createPostgresTokenStore } from "./postgres-tokens.ts";

/** On a PostgreSQL that any number of servers share. */
export const createPostgresAuth = (db: Postgres): AuthStores => ({
  tokens: createPostgresTokenStore(db),
  keys: createPostgresKeyStore(db),
  limiters: createPostgresRateLimiters(db),
  isShared: true,
  tidy: async () => {
    await forgetIdleBuckets(db);
  },
});
