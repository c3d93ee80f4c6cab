import { inBoth, type Migration } from "./migration.ts";

/** What the supervisors of all hosts said last of their workers; `report` is the whole of it as JSON. */
export const fleet: Migration = {
  number: 40,
  name: "fleet",
  ...inBoth(
    ({ integer, strictWithoutRowid }) => `
CREATE TABLE fleet (
  host TEXT NOT NULL,
  worker TEXT NOT NULL,
  report TEXT NOT NULL,
  reported_at ${integer} NOT NULL,
  PRIMARY KEY (host, worker)
)${strictWithoutRowid};
CREATE INDEX fleet_by_age ON fleet (reported_at);
`,
  ),
};
