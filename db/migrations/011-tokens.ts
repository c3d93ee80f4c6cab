import { inBoth, type Migration } from "./migration.ts";

/** Tables that both databases have. */
const tables = inBoth(
  ({ integer, key, strict, strictWithoutRowid }) => `
CREATE TABLE tokens (
  id ${key} PRIMARY KEY,
  label TEXT NOT NULL,
  sha256 ${key} NOT NULL UNIQUE,
  site TEXT,
  actions TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer},
  last_used_at ${integer}
)${strict};
CREATE TABLE sessions (
  sha256 ${key} PRIMARY KEY,
  token ${key} NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  expires_at ${integer} NOT NULL
)${strictWithoutRowid};
`,
);

/**
 * Tokens and the browser sessions made from them; of both only the SHA-256 is kept. On PostgreSQL also how
 * often somebody did something lately, which one server alone keeps in its memory.
 */
export const tokens: Migration = {
  number: 11,
  name: "tokens",
  sqlite: tables.sqlite,
  postgres: `${tables.postgres}
CREATE INDEX sessions_of_token ON sessions (token);
CREATE UNLOGGED TABLE rate_limits (
  what TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  tokens DOUBLE PRECISION NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  is_allowed BOOLEAN NOT NULL,
  PRIMARY KEY (what, key)
);
CREATE INDEX rate_limits_by_time ON rate_limits (at);
`,
};
