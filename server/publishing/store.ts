import type { BlobName } from "../blobs/blobs.ts";
import type { Deployment, DeploymentStatus, DeploymentSummary, Site } from "./deployment.ts";
import type { Kept, Quota } from "./quota.ts";
import type { RetentionCandidate } from "./retention.ts";

export type NewDeployment = Omit<Deployment, "status" | "activatedAt">;

/** A key a publisher gave a request, so that sending it again gives the same deployment again. */
export type RequestKey = { token: string; key: string; request: string };

export type CreateOutcome =
  | { kind: "created" }
  | { kind: "replayed"; deploymentId: string }
  /** the key was used for another request */
  | { kind: "key-reused" };

/** `expectedActive` are the deployments one of which must be live now; null stands for no live one. */
export type ActivationRequest = {
  id: string;
  expectedActive?: readonly (string | null)[] | "any" | undefined;
  at: number;
  by: string;
};

export type ActivationOutcome =
  | { kind: "activated"; previous: string | undefined }
  | { kind: "already-active" }
  | { kind: "not-found" }
  | { kind: "expired" }
  | { kind: "missing-blobs"; missing: BlobName[] }
  /** another deployment is live than the request expects */
  | { kind: "stale"; active: string | undefined }
  /** a newer deployment went live while this one waited */
  | { kind: "overtaken"; active: string };

export const PUBLISH_ACTIONS = [
  "created",
  "activated",
  "expired",
  "deleted",
  "pinned",
  "unpinned",
  "imported",
] as const;

export type PublishEvent = {
  at: number;
  site: string;
  deployment?: string | undefined;
  action: (typeof PUBLISH_ACTIONS)[number];
  by: string;
  detail?: string | undefined;
};

export type SiteSummary = Site & { deployments: number; active?: DeploymentSummary | undefined };

/**
 * What is published, without the bytes. Every method is one transaction: wholly done when it resolves, and
 * then on disk, or not at all.
 */
export type PublishingStore = {
  findSite: (name: string) => Promise<Site | undefined>;
  listSites: () => Promise<SiteSummary[]>;
  listDeployments: (site: string) => Promise<DeploymentSummary[]>;
  /** what a worker's run has published, the newest first */
  listOfRun: (run: string) => Promise<DeploymentSummary[]>;
  findDeployment: (id: string) => Promise<Deployment | undefined>;
  /** Blobs that a deployment needs and that nobody has sent to its site. */
  listMissing: (id: string) => Promise<BlobName[]>;
  /** Of these blobs, the ones that were sent to this site, with their true size. */
  findHeld: (site: string, names: readonly BlobName[]) => Promise<BlobName[]>;
  /** Of these blobs, the ones that no site has. */
  findMissing: (names: readonly BlobName[]) => Promise<BlobName[]>;
  /** What this site and all sites would keep with these blobs, each counted once. */
  measureKept: (site: string, names: readonly BlobName[]) => Promise<Kept>;
  /** @throws AppError `storage-full` when it would go beyond the quota */
  createDeployment: (deployment: NewDeployment, key?: RequestKey, quota?: Quota) => Promise<CreateOutcome>;
  /** Remembers that a blob is there, and which site has sent it; an import tells its site at the end. */
  recordBlob: (name: BlobName, at: number, site?: string) => Promise<void>;
  activate: (request: ActivationRequest) => Promise<ActivationOutcome>;
  setPinned: (id: string, pinned: boolean, event: PublishEvent) => Promise<void>;
  /** Refuses the active one with false. */
  deleteDeployment: (id: string, event: PublishEvent) => Promise<boolean>;
  deleteSite: (name: string, event: PublishEvent) => Promise<void>;
  /** Adds whole history as it was elsewhere. False when the site is there already. */
  importSite: (
    site: Site,
    deployments: readonly ImportedDeployment[],
    event: PublishEvent,
  ) => Promise<boolean>;
  listEvents: (site: string, limit: number) => Promise<PublishEvent[]>;
  listCandidates: (site: string) => Promise<RetentionCandidate[]>;
  expire: (ids: readonly string[], at: number) => Promise<void>;
  /** Blobs that no deployment but expired ones needs, unused since `before`. */
  listUnused: (before: number) => Promise<BlobName[]>;
  /** Forgets a blob if it is still unused since `before`, or unknown; false when it is needed. */
  forgetBlob: (sha256: string, before: number) => Promise<boolean>;
  /** Removes expired deployments and request keys older than this. */
  prune: (before: number) => Promise<number>;
};

export type ImportedDeployment = Deployment & { status: DeploymentStatus };
