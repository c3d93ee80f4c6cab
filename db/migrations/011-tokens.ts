import type { Migration } from "./migration.ts";

/**
 * Tokens and the browser sessions made from them; of both only the SHA-256 is kept. On PostgreSQL also how
 * often somebody did something lately, which one server alone keeps in its memory.
 */
export const tokens: Migration = {
  number: 11,
  name: "tokens",
  sqlite: `
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  label TEXT NOT NULL,
  sha256 TEXT NOT NULL UNIQUE,
  site TEXT,
  actions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE TABLE sessions (
  sha256 TEXT PRIMARY KEY,
  token TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
  postgres: `
CREATE TABLE tokens (
  id TEXT COLLATE "C" PRIMARY KEY,
  label TEXT NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL UNIQUE,
  site TEXT,
  actions TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  last_used_at BIGINT
);
CREATE TABLE sessions (
  sha256 TEXT COLLATE "C" PRIMARY KEY,
  token TEXT COLLATE "C" NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  expires_at BIGINT NOT NULL
);
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
