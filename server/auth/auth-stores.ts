import type { Database } from "../../db/database.ts";
import { statementsOn } from "../../db/statements.ts";
import { createKeyStore, type KeyStore } from "./key-store.ts";
import { createRateLimiter, type RateLimiters } from "./rate-limit.ts";
import { createTokenStore, type TokenStore } from "./token-store.ts";

/** Where it is kept who may come in, whichever database that is. */
export type AuthStores = {
  tokens: TokenStore;
  keys: KeyStore;
  limiters: RateLimiters;
  /** whether other servers use them, too */
  isShared: boolean;
  /** Removes what is of no use to anybody any more. */
  tidy: () => Promise<void>;
};

/** On the server's own SQLite database. */
export const createSqliteAuth = (db: Database, now: () => number): AuthStores => ({
  tokens: createTokenStore(statementsOn(db)),
  keys: createKeyStore(statementsOn(db)),
  limiters: (what, rate) => createRateLimiter(what, rate, now),
  isShared: false,
  tidy: async () => {},
});
