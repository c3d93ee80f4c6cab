import type { ManifestEntry } from "./manifest.ts";
import type { Deployment, DeploymentStatus, DeploymentSummary, Site } from "./deployment.ts";

/** Columns of a deployment without its manifest, which is most of the row. */
export const SUMMARY_COLUMNS =
  "id, site, status, created_at, activated_at, created_by, message, base, pinned, digest, files, bytes";

export type SummaryRow = {
  id: string;
  site: string;
  status: DeploymentStatus;
  created_at: number;
  activated_at: number | null;
  created_by: string;
  message: string | null;
  base: string | null;
  pinned: number;
  digest: string;
  files: number;
  bytes: number;
};

export type DeploymentRow = SummaryRow & { checks: string };
export type SiteRow = {
  name: string;
  created_at: number;
  updated_at: number;
  active_deployment: string | null;
};

export const toSummary = (row: SummaryRow): DeploymentSummary => ({
  id: row.id,
  site: row.site,
  status: row.status,
  createdAt: row.created_at,
  activatedAt: row.activated_at ?? undefined,
  createdBy: row.created_by,
  message: row.message ?? undefined,
  base: row.base ?? undefined,
  pinned: row.pinned === 1,
  digest: row.digest,
  files: row.files,
  bytes: row.bytes,
});

export const toDeployment = (row: DeploymentRow, manifest: ManifestEntry[]): Deployment => {
  const { files: _files, bytes: _bytes, ...summary } = toSummary(row);
  return {
    ...summary,
    manifest,
    checks: JSON.parse(row.checks) as Deployment["checks"],
  };
};

export const toSite = (row: SiteRow): Site => ({
  name: row.name,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  activeDeploymentId: row.active_deployment ?? undefined,
});
