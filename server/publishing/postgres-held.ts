import type { Queries, Transaction } from "../../db/postgres/postgres.ts";
import type { BlobName } from "../blobs/blobs.ts";
import type { Kept } from "./quota.ts";

/** Of these bytes, the ones that were sent to this site, with their true size. */
export const selectHeld = (db: Queries, site: string, names: readonly BlobName[]): Promise<BlobName[]> =>
  db.all<BlobName>(
    `SELECT b.sha256, b.size FROM site_blobs h JOIN blobs b ON b.sha256 = h.sha256
     WHERE h.site = $1 AND h.sha256 = ANY($2)`,
    [site, names.map(({ sha256 }) => sha256)],
  );

/** Remembers that bytes are there, and that this site has sent them. */
export const recordHeld = async (
  db: Queries,
  { sha256, size }: BlobName,
  { at, site }: { at: number; site: string | undefined },
): Promise<void> => {
  await db.run(
    `WITH recorded AS (
       INSERT INTO blobs AS b (sha256, size, used_at) VALUES ($1, $2, $3)
       ON CONFLICT (sha256) DO UPDATE SET used_at = greatest(b.used_at, EXCLUDED.used_at))
     INSERT INTO site_blobs (site, sha256) SELECT name, $1::text FROM sites WHERE name = $4
     ON CONFLICT DO NOTHING`,
    [sha256, size, at, site ?? null],
  );
};

/** An imported site has all bytes of its history: they came with it. */
export const holdWholeSite = async (tx: Transaction, site: string): Promise<void> => {
  await tx.run(
    `INSERT INTO site_blobs (site, sha256) SELECT DISTINCT p.site, d.sha256 FROM deployments p
     JOIN deployment_blobs d ON d.deployment = p.id JOIN blobs b ON b.sha256 = d.sha256 WHERE p.site = $1
     ON CONFLICT DO NOTHING`,
    [site],
  );
};

const SUM_OF_SITE = `
SELECT coalesce(sum(size), 0)::bigint AS bytes FROM (
  SELECT d.sha256, d.size FROM deployments p JOIN deployment_blobs d ON d.deployment = p.id
  WHERE p.site = $1 AND p.status <> 'expired'
  UNION SELECT * FROM unnest($2::text[], $3::bigint[])) AS kept`;

// What is announced takes its room before it comes.
const SUM_OF_ALL = `
SELECT ((SELECT coalesce(sum(size), 0) FROM blobs) + (SELECT coalesce(sum(size), 0) FROM (
  SELECT d.sha256, d.size FROM deployments p JOIN deployment_blobs d ON d.deployment = p.id
  WHERE p.status = 'pending'
  UNION SELECT * FROM unnest($1::text[], $2::bigint[])
) AS announced WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.sha256 = announced.sha256)))::bigint AS bytes`;

/** What would be kept with these bytes, each counted once. */
export const measureKept = async (db: Queries, site: string, names: readonly BlobName[]): Promise<Kept> => {
  const [digests, sizes] = [names.map(({ sha256 }) => sha256), names.map(({ size }) => size)];
  const ofSite = await db.get<{ bytes: number }>(SUM_OF_SITE, [site, digests, sizes]);
  const ofAll = await db.get<{ bytes: number }>(SUM_OF_ALL, [digests, sizes]);
  return { siteBytes: ofSite?.bytes ?? 0, allBytes: ofAll?.bytes ?? 0 };
};
