import { withoutUndefined } from "../../core/without-undefined.ts";
import type { Deployment, DeploymentSummary } from "./deployment.ts";
import { previewLabel } from "./deployment.ts";
import { totalBytes } from "./manifest.ts";
import type { PublishEvent, SiteSummary } from "./store.ts";

/** Where sites are reached from outside, for the addresses in answers. */
export type Addresses = {
  siteUrl: (site: string) => string;
  previewUrl: (id: string, site: string) => string;
};

/**
 * Addresses under the sites' domain. The scheme and the port are the public ones when they are known, else
 * those under which the request came.
 */
export const createAddresses = (
  sitesDomain: string,
  { protocol, port }: { protocol: string; port: string },
): Addresses => {
  const urlOf = (label: string): string =>
    `${protocol}//${label}.${sitesDomain}${port === "" ? "" : `:${port}`}/`;
  return { siteUrl: urlOf, previewUrl: (id, site) => urlOf(previewLabel(id, site)) };
};

const iso = (ms: number): string => new Date(ms).toISOString();

export const viewSummary = (deployment: DeploymentSummary, addresses: Addresses) =>
  withoutUndefined({
    id: deployment.id,
    site: deployment.site,
    siteName: deployment.site,
    owner: deployment.createdBy,
    status: deployment.status,
    createdAt: iso(deployment.createdAt),
    activatedAt: deployment.activatedAt === undefined ? undefined : iso(deployment.activatedAt),
    message: deployment.message,
    base: deployment.base,
    run: deployment.run,
    pinned: deployment.pinned,
    digest: deployment.digest,
    files: deployment.files,
    bytes: deployment.bytes,
    previewUrl: addresses.previewUrl(deployment.id, deployment.site),
  });

export const viewDeployment = ({ manifest, checks, ...deployment }: Deployment, addresses: Addresses) => ({
  ...viewSummary({ ...deployment, files: manifest.length, bytes: totalBytes(manifest) }, addresses),
  checks,
  manifest,
});

export const viewSite = (site: SiteSummary, addresses: Addresses) =>
  withoutUndefined({
    name: site.name,
    owner: site.active?.createdBy,
    createdAt: iso(site.createdAt),
    updatedAt: iso(site.updatedAt),
    activeDeploymentId: site.activeDeploymentId,
    deployments: site.deployments,
    siteUrl: addresses.siteUrl(site.name),
    active: site.active && viewSummary(site.active, addresses),
  });

export const viewEvent = ({ at, ...event }: PublishEvent) => withoutUndefined({ at: iso(at), ...event });
