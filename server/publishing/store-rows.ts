import { insertion, named } from "../../db/rows.ts";
import type { Deployment, DeploymentSummary, Site } from "./deployment.ts";
import { type ManifestEntry, totalBytes } from "./manifest.ts";

/** A new deployment's row. */
export const insertDeploymentRow = ({ manifest, checks, pinned, ...fields }: Deployment) =>
  insertion("deployments", {
    ...fields,
    pinned: pinned ? 1 : 0,
    files: manifest.length,
    bytes: totalBytes(manifest),
    checks: JSON.stringify(checks),
    manifest: JSON.stringify(manifest),
  });

/** Columns of a deployment without its manifest, which is most of the row. */
export const SUMMARY_COLUMNS =
  "id, site, status, created_at, activated_at, created_by, message, base, pinned, digest, files, bytes, run";

export type SummaryRow = { site: string; digest: string; pinned: number };
export type DeploymentRow = SummaryRow & { checks: string };
export type SiteRow = { name: string; active_deployment: string | null };

export const toSummary = (row: SummaryRow): DeploymentSummary => ({
  ...named<DeploymentSummary>(row),
  pinned: row.pinned === 1,
});

export const toDeployment = (row: DeploymentRow, manifest: ManifestEntry[]): Deployment => {
  const { files: _files, bytes: _bytes, ...summary } = toSummary(row);
  return {
    ...summary,
    manifest,
    checks: JSON.parse(row.checks) as Deployment["checks"],
  };
};

export const toSite = ({ active_deployment, ...row }: SiteRow): Site => ({
  ...named<Site>(row),
  activeDeploymentId: active_deployment ?? undefined,
});

export const EVENT_COLUMNS = "at, site, deployment, action, by, detail";

/** Whether a row `b` of the blobs is one that a deployment needs which is kept. */
export const NEEDED =
  "EXISTS (SELECT 1 FROM deployment_blobs d JOIN deployments p ON p.id = d.deployment WHERE d.sha256 = b.sha256 AND p.status <> 'expired')";

/** What of a deployment was not sent to its site, or is of another size than it says. */
export const MISSING = `SELECT d.sha256, d.size FROM deployment_blobs d JOIN deployments p ON p.id = d.deployment
  LEFT JOIN blobs b ON b.sha256 = d.sha256 AND b.size = d.size
  LEFT JOIN site_blobs h ON h.site = p.site AND h.sha256 = d.sha256
  WHERE d.deployment = $1 AND (b.sha256 IS NULL OR h.sha256 IS NULL) ORDER BY d.sha256`;
