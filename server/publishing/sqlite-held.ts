import type { Database } from "../../db/database.ts";
import type { BlobName } from "../blobs/blobs.ts";
import type { Kept } from "./quota.ts";

/** Of these bytes, the ones that were sent to this site, with their true size. */
export const selectHeld = (db: Database, site: string, names: readonly BlobName[]): BlobName[] =>
  db.all<BlobName>(
    `SELECT b.sha256, b.size FROM site_blobs h JOIN blobs b ON b.sha256 = h.sha256
     WHERE h.site = ? AND h.sha256 IN (SELECT value FROM json_each(?))`,
    [site, JSON.stringify(names.map(({ sha256 }) => sha256))],
  );

/** Remembers that bytes are there, and that this site has sent them. */
export const recordHeld = (
  db: Database,
  { sha256, size }: BlobName,
  { at, site }: { at: number; site: string | undefined },
): void => {
  db.run(
    "INSERT INTO blobs (sha256, size, used_at) VALUES (?, ?, ?) ON CONFLICT (sha256) DO UPDATE SET used_at = max(used_at, excluded.used_at)",
    [sha256, size, at],
  );
  db.run("INSERT OR IGNORE INTO site_blobs (site, sha256) SELECT name, ? FROM sites WHERE name = ?", [
    sha256,
    site ?? null,
  ]);
};

/** An imported site has all bytes of its history: they came with it. */
export const holdWholeSite = (db: Database, site: string): void => {
  db.run(
    `INSERT OR IGNORE INTO site_blobs (site, sha256) SELECT p.site, d.sha256 FROM deployments p
     JOIN deployment_blobs d ON d.deployment = p.id JOIN blobs b ON b.sha256 = d.sha256 WHERE p.site = ?`,
    [site],
  );
};

const SUM_OF_SITE = `
SELECT coalesce(sum(size), 0) AS bytes FROM (
  SELECT d.sha256, d.size FROM deployments p JOIN deployment_blobs d ON d.deployment = p.id
  WHERE p.site = ?1 AND p.status <> 'expired'
  UNION SELECT value ->> 'sha256', value ->> 'size' FROM json_each(?2))`;

// What is announced takes its room before it comes.
const SUM_OF_ALL = `
SELECT (SELECT coalesce(sum(size), 0) FROM blobs) + (SELECT coalesce(sum(size), 0) FROM (
  SELECT d.sha256, d.size FROM deployments p JOIN deployment_blobs d ON d.deployment = p.id
  WHERE p.status = 'pending'
  UNION SELECT value ->> 'sha256', value ->> 'size' FROM json_each(?1)
) AS announced WHERE sha256 NOT IN (SELECT sha256 FROM blobs)) AS bytes`;

/** What would be kept with these bytes, each counted once. */
export const measureKept = (db: Database, site: string, names: readonly BlobName[]): Kept => {
  const json = JSON.stringify(names.map(({ sha256, size }) => ({ sha256, size })));
  const bytes = (sql: string, values: string[]): number => db.get<{ bytes: number }>(sql, values)?.bytes ?? 0;
  return { siteBytes: bytes(SUM_OF_SITE, [site, json]), allBytes: bytes(SUM_OF_ALL, [json]) };
};
