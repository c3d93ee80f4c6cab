import type { Migration } from "./migration.ts";

/**
 * The security log: each line is JSON with the digest of the one before it. The head says which line is the
 * last, so that lines taken off the end are missed, too.
 */
export const securityLog: Migration = {
  number: 60,
  name: "security-log",
  sqlite: `
CREATE TABLE security_log (
  number INTEGER PRIMARY KEY,
  line TEXT NOT NULL
) STRICT;
CREATE TABLE security_log_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  number INTEGER NOT NULL,
  digest TEXT NOT NULL
) STRICT;
`,
  postgres: `
CREATE TABLE security_log (
  number BIGINT PRIMARY KEY,
  line TEXT NOT NULL
);
CREATE TABLE security_log_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  number BIGINT NOT NULL,
  digest TEXT COLLATE "C" NOT NULL
);
`,
};
