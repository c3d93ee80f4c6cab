import type { Dialect, StoreDatabase } from "../../db/statements.ts";
import { all, get, run, type Steps } from "../../db/steps.ts";
import type { BlobName } from "../blobs/blobs.ts";
import type { Kept } from "./quota.ts";

/** Blobs' names as a parameter, and the table that `namesIn` makes of it. */
export const toParameter = (names: readonly BlobName[]): string =>
  JSON.stringify(names.map(({ sha256, size }) => ({ sha256, size })));
export const namesIn = (dialect: Dialect, parameter: string): string =>
  dialect.rowsOf(parameter, { sha256: "TEXT", size: "BIGINT" });
/** The same without the sizes, which may be no whole numbers yet. */
export const digestsIn = (dialect: Dialect, parameter: string): string =>
  `SELECT sha256 FROM ${dialect.rowsOf(parameter, { sha256: "TEXT" })}`;

/** Of these bytes, the ones that were sent to this site, with their true size. */
export const selectHeld = (
  db: StoreDatabase,
  site: string,
  names: readonly BlobName[],
): Promise<BlobName[]> =>
  db.all<BlobName>(
    `SELECT b.sha256, b.size FROM site_blobs h JOIN blobs b ON b.sha256 = h.sha256
     WHERE h.site = $1 AND h.sha256 IN (${digestsIn(db.dialect, "$2")})`,
    [site, toParameter(names)],
  );

/** Remembers that bytes are there, and that this site has sent them. */
export const recordHeld = function* (
  { sha256, size }: BlobName,
  { at, site }: { at: number; site: string | undefined },
): Steps<void> {
  yield* run(
    `INSERT INTO blobs (sha256, size, used_at) VALUES ($1, $2, $3)
     ON CONFLICT (sha256) DO UPDATE SET used_at = excluded.used_at WHERE blobs.used_at < excluded.used_at`,
    [sha256, size, at],
  );
  if (site === undefined) return;
  yield* run(
    `INSERT INTO site_blobs (site, sha256) SELECT name, CAST($1 AS TEXT) FROM sites WHERE name = $2
     ON CONFLICT DO NOTHING`,
    [sha256, site],
  );
};

/** An imported site has all bytes of its history: they came with it. */
export const holdWholeSite = function* (site: string): Steps<void> {
  yield* run(
    `INSERT INTO site_blobs (site, sha256) SELECT DISTINCT p.site, d.sha256 FROM deployments p
     JOIN deployment_blobs d ON d.deployment = p.id JOIN blobs b ON b.sha256 = d.sha256 WHERE p.site = $1
     ON CONFLICT DO NOTHING`,
    [site],
  );
};

/**
 * Says that the bytes that `which` selects by one parameter are in use from now. Locked in one order, so that two
 * publishers of the same files wait for each other and never for ever.
 */
export const useBlobs = function* (
  { forUpdate }: Dialect,
  which: (parameter: string) => string,
  { value, at }: { value: string; at: number },
): Steps<void> {
  if (forUpdate !== "")
    yield* all(`SELECT sha256 FROM blobs WHERE sha256 IN (${which("$1")}) ORDER BY sha256 ${forUpdate}`, [
      value,
    ]);
  yield* run(`UPDATE blobs SET used_at = $1 WHERE used_at < $1 AND sha256 IN (${which("$2")})`, [at, value]);
};

/** What would be kept with these bytes, each counted once. */
export const measureKept = function* (
  dialect: Dialect,
  site: string,
  names: readonly BlobName[],
): Steps<Kept> {
  const json = toParameter(names);
  const ofSite = yield* get<{ bytes: number }>(
    `SELECT CAST(coalesce(sum(size), 0) AS BIGINT) AS bytes FROM (
       SELECT d.sha256, d.size FROM deployments p JOIN deployment_blobs d ON d.deployment = p.id
       WHERE p.site = $1 AND p.status <> 'expired'
       UNION SELECT sha256, size FROM ${namesIn(dialect, "$2")}) AS kept`,
    [site, json],
  );
  // What is announced takes its room before it comes.
  const ofAll = yield* get<{ bytes: number }>(
    `SELECT CAST((SELECT coalesce(sum(size), 0) FROM blobs) + (SELECT coalesce(sum(size), 0) FROM (
       SELECT d.sha256, d.size FROM deployments p JOIN deployment_blobs d ON d.deployment = p.id
       WHERE p.status = 'pending'
       UNION SELECT sha256, size FROM ${namesIn(dialect, "$1")}) AS announced
     WHERE NOT EXISTS (SELECT 1 FROM blobs b WHERE b.sha256 = announced.sha256)) AS BIGINT) AS bytes`,
    [json],
  );
  return { siteBytes: ofSite?.bytes ?? 0, allBytes: ofAll?.bytes ?? 0 };
};
