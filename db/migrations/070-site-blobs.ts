import { inBoth, type Migration } from "./migration.ts";

/**
 * Which bytes were once sent to which site. Bytes are stored once for all sites; a site has only those that
 * somebody sent to it, or whoever knows a digest could have another site's unpublished file served.
 */
export const siteBlobs: Migration = {
  number: 70,
  name: "site-blobs",
  ...inBoth(
    ({ key, strictWithoutRowid }) => `
CREATE TABLE site_blobs (
  site ${key} NOT NULL REFERENCES sites (name) ON DELETE CASCADE,
  sha256 ${key} NOT NULL REFERENCES blobs (sha256) ON DELETE CASCADE,
  PRIMARY KEY (site, sha256)
)${strictWithoutRowid};
CREATE INDEX site_blobs_by_sha256 ON site_blobs (sha256);
INSERT INTO site_blobs (site, sha256)
  SELECT DISTINCT p.site, d.sha256 FROM deployments p
  JOIN deployment_blobs d ON d.deployment = p.id JOIN blobs b ON b.sha256 = d.sha256
  WHERE p.activated_at IS NOT NULL;
`,
  ),
};
