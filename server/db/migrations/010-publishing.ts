import type { Migration } from "./migration.ts";

/** Sites, their deployments, which bytes each needs, which bytes are there, and what happened. */
export const publishing: Migration = {
  number: 10,
  name: "publishing",
  sqlite: `
CREATE TABLE sites (
  name TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  active_deployment TEXT,
  version INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE deployments (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  site TEXT NOT NULL REFERENCES sites (name) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('pending', 'active', 'superseded', 'expired')),
  created_at INTEGER NOT NULL,
  activated_at INTEGER,
  expired_at INTEGER,
  created_by TEXT NOT NULL,
  message TEXT,
  base TEXT,
  pinned INTEGER NOT NULL DEFAULT 0,
  digest TEXT NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  checks TEXT NOT NULL,
  manifest TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX deployments_one_active ON deployments (site) WHERE status = 'active';
CREATE INDEX deployments_of_site ON deployments (site, number);
CREATE TABLE deployment_blobs (
  deployment TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL,
  size INTEGER NOT NULL,
  PRIMARY KEY (deployment, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX deployment_blobs_by_sha256 ON deployment_blobs (sha256);
CREATE TABLE blobs (
  sha256 TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE publish_requests (
  token TEXT NOT NULL,
  key TEXT NOT NULL,
  request TEXT NOT NULL,
  deployment TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (token, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE publish_events (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  site TEXT NOT NULL,
  deployment TEXT,
  action TEXT NOT NULL,
  by TEXT NOT NULL,
  detail TEXT
) STRICT;
CREATE INDEX publish_events_of_site ON publish_events (site, number);
`,
};
