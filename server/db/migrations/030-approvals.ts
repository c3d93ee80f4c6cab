import type { Migration } from "./migration.ts";

/** Changes that a browser agent asked for: what would be sent, what a person decided, what came of it. */
export const approvals: Migration = {
  number: 30,
  name: "approvals",
  sqlite: `
CREATE TABLE approvals (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('pending', 'denied', 'sending', 'done', 'failed', 'unknown')),
  tool TEXT NOT NULL,
  token TEXT NOT NULL,
  asked_by TEXT NOT NULL,
  method TEXT NOT NULL,
  target TEXT NOT NULL,
  content_type TEXT NOT NULL,
  body TEXT NOT NULL,
  digest TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  answer_status INTEGER,
  answer_type TEXT,
  answer_body TEXT
) STRICT;
CREATE INDEX approvals_of_token ON approvals (token, number);
`,
};
