import { randomBytes } from "node:crypto";
import type { ManifestEntry } from "./manifest.ts";

export type DeploymentStatus = "pending" | "active" | "superseded" | "expired";

/** What must hold on the preview before a deployment goes live. */
export type ActivationCheck = { path: string; status?: number | undefined; contains?: string | undefined };

/** Times are milliseconds since the epoch; `createdBy` is the label or id of the token that made it. */
export type Deployment = {
  id: string;
  site: string;
  status: DeploymentStatus;
  createdAt: number;
  activatedAt?: number | undefined;
  createdBy: string;
  message?: string | undefined;
  base?: string | undefined;
  /** the run of a worker whose session made it, as that session says */
  run?: string | undefined;
  pinned: boolean;
  digest: string;
  checks: ActivationCheck[];
  manifest: ManifestEntry[];
};

/** A deployment without the list of its files, as history shows it. */
export type DeploymentSummary = Omit<Deployment, "manifest" | "checks"> & { files: number; bytes: number };

export type Site = {
  name: string;
  createdAt: number;
  updatedAt: number;
  activeDeploymentId?: string | undefined;
};

const ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
export const DEPLOYMENT_ID = /^[0-9a-hjkmnp-tv-z]{16}$/;

/**
 * A deployment's id: 80 random bits as 16 characters. Short enough to share a DNS label with the site's
 * name in a preview's host, long enough that a preview cannot be guessed.
 */
export const newDeploymentId = (): string => {
  let id = "";
  for (const byte of randomBytes(16)) id += ID_ALPHABET[byte & 31];
  return id;
};

const LABEL_CHARS = 63;

/** The first label of a preview's host. A name too long to fit beside the id is cut: the id alone decides. */
export const previewLabel = (id: string, site: string): string =>
  `${id}--${site}`.slice(0, LABEL_CHARS).replace(/-+$/, "");
