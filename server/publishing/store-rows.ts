import type { Deployment, DeploymentStatus, DeploymentSummary, Site } from "./deployment.ts";
import { type ManifestEntry, totalBytes } from "./manifest.ts";
import type { PublishEvent } from "./store.ts";

/** What a new deployment's row consists of, in the order of `deploymentValues`. */
export const DEPLOYMENT_COLUMNS =
  "id, site, status, created_at, activated_at, created_by, message, base, pinned, digest, files, bytes, checks, manifest, run";

export const deploymentValues = (deployment: Deployment): (string | number | null)[] => [
  deployment.id,
  deployment.site,
  deployment.status,
  deployment.createdAt,
  deployment.activatedAt ?? null,
  deployment.createdBy,
  deployment.message ?? null,
  deployment.base ?? null,
  deployment.pinned ? 1 : 0,
  deployment.digest,
  deployment.manifest.length,
  totalBytes(deployment.manifest),
  JSON.stringify(deployment.checks),
  JSON.stringify(deployment.manifest),
  deployment.run ?? null,
];

/** Columns of a deployment without its manifest, which is most of the row. */
export const SUMMARY_COLUMNS =
  "id, site, status, created_at, activated_at, created_by, message, base, pinned, digest, files, bytes, run";

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
  run: string | null;
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
  run: row.run ?? undefined,
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

export type EventRow = {
  at: number;
  site: string;
  deployment: string | null;
  action: PublishEvent["action"];
  by: string;
  detail: string | null;
};

export const EVENT_COLUMNS = "at, site, deployment, action, by, detail";

export const ADD_EVENT = `INSERT INTO publish_events (${EVENT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`;

export const eventValues = ({
  at,
  site,
  deployment,
  action,
  by,
  detail,
}: PublishEvent): (string | number | null)[] => [at, site, deployment ?? null, action, by, detail ?? null];

export const toEvent = ({ deployment, detail, ...event }: EventRow): PublishEvent => ({
  ...event,
  deployment: deployment ?? undefined,
  detail: detail ?? undefined,
});

/** Whether a row `b` of the blobs is one that a deployment needs which is kept. */
export const NEEDED =
  "EXISTS (SELECT 1 FROM deployment_blobs d JOIN deployments p ON p.id = d.deployment WHERE d.sha256 = b.sha256 AND p.status <> 'expired')";

/** What of a deployment was not sent to its site, or is of another size than it says. */
export const MISSING = `SELECT d.sha256, d.size FROM deployment_blobs d JOIN deployments p ON p.id = d.deployment
  LEFT JOIN blobs b ON b.sha256 = d.sha256 AND b.size = d.size
  LEFT JOIN site_blobs h ON h.site = p.site AND h.sha256 = d.sha256
  WHERE d.deployment = $1 AND (b.sha256 IS NULL OR h.sha256 IS NULL) ORDER BY d.sha256`;
