import type { Migration } from "./migration.ts";

/** Tokens and the browser sessions made from them; of both only the SHA-256 is kept. */
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
};
