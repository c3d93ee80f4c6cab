import type { Migration } from "./migration.ts";

/** What the supervisors of all hosts said last of their workers; `report` is the whole of it as JSON. */
export const fleet: Migration = {
  number: 40,
  name: "fleet",
  sqlite: `
CREATE TABLE fleet (
  host TEXT NOT NULL,
  worker TEXT NOT NULL,
  report TEXT NOT NULL,
  reported_at INTEGER NOT NULL,
  PRIMARY KEY (host, worker)
) STRICT, WITHOUT ROWID;
CREATE INDEX fleet_by_age ON fleet (reported_at);
`,
  postgres: `
CREATE TABLE fleet (
  host TEXT NOT NULL,
  worker TEXT NOT NULL,
  report TEXT NOT NULL,
  reported_at BIGINT NOT NULL,
  PRIMARY KEY (host, worker)
);
CREATE INDEX fleet_by_age ON fleet (reported_at);
`,
};
