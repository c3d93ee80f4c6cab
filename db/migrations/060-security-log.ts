import { inBoth, type Migration } from "./migration.ts";

/**
 * The security log: each line is JSON with the digest of the one before it. The head says which line is the
 * last, so that lines taken off the end are missed, too.
 */
export const securityLog: Migration = {
  number: 60,
  name: "security-log",
  ...inBoth(
    ({ integer, key, strict }) => `
CREATE TABLE security_log (
  number ${integer} PRIMARY KEY,
  line TEXT NOT NULL
)${strict};
CREATE TABLE security_log_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  number ${integer} NOT NULL,
  digest ${key} NOT NULL
)${strict};
`,
  ),
};
