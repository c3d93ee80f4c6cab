import { inBoth, type Migration } from "./migration.ts";

/** Changes that a browser agent asked for: what would be sent, what a person decided, what came of it. */
export const approvals: Migration = {
  number: 30,
  name: "approvals",
  ...inBoth(
    ({ integer, key, number, strict }) => `
CREATE TABLE approvals (
  number ${number},
  id ${key} NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('pending', 'denied', 'sending', 'done', 'failed', 'unknown')),
  tool TEXT NOT NULL,
  token ${key} NOT NULL,
  asked_by TEXT NOT NULL,
  method TEXT NOT NULL,
  target TEXT NOT NULL,
  content_type TEXT NOT NULL,
  body TEXT NOT NULL,
  digest TEXT NOT NULL,
  created_at ${integer} NOT NULL,
  expires_at ${integer} NOT NULL,
  decided_at ${integer},
  answer_status INTEGER,
  answer_type TEXT,
  answer_body TEXT
)${strict};
CREATE INDEX approvals_of_token ON approvals (token, number);
`,
  ),
};
