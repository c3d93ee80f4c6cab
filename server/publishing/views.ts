import { iso } from "../../core/clock.ts";
import { withoutUndefined } from "../../core/without-undefined.ts";
import type { Deployment, DeploymentSummary } from "./deployment.ts";
import { previewLabel } from "./deployment.ts";
import { totalBytes } from "./manifest.ts";
import type { DeploymentView, EventsView, SiteView, SummaryView } from "./schemas.ts";
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

export const viewSummary = (deployment: DeploymentSummary, { previewUrl }: Addresses): SummaryView => {
  const { id, site, status, pinned, digest, files, bytes, message, base, run, activatedAt } = deployment;
  return {
    id,
    site,
    siteName: site,
    owner: deployment.createdBy,
    status,
    createdAt: iso(deployment.createdAt),
    pinned,
    digest,
    files,
    bytes,
    previewUrl: previewUrl(id, site),
    ...withoutUndefined({
      activatedAt: activatedAt === undefined ? undefined : iso(activatedAt),
      message,
      base,
      run,
    }),
  };
};

export const viewDeployment = (
  { manifest, checks, ...deployment }: Deployment,
  addresses: Addresses,
): Omit<DeploymentView, "missing"> => ({
  ...viewSummary({ ...deployment, files: manifest.length, bytes: totalBytes(manifest) }, addresses),
  checks,
  manifest,
});

export const viewSite = (site: SiteSummary, addresses: Addresses): SiteView => ({
  name: site.name,
  createdAt: iso(site.createdAt),
  updatedAt: iso(site.updatedAt),
  deployments: site.deployments,
  siteUrl: addresses.siteUrl(site.name),
  ...withoutUndefined({
    owner: site.active?.createdBy,
    activeDeploymentId: site.activeDeploymentId,
    active: site.active && viewSummary(site.active, addresses),
  }),
});

export const viewEvent = ({ at, ...event }: PublishEvent): EventsView["events"][number] =>
  withoutUndefined({ at: iso(at), ...event });
