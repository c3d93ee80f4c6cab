import { DEPLOYMENT_ID } from "../publishing/deployment.ts";

/** What a host name under the sites' domain stands for. */
export type HostTarget =
  | { kind: "site"; site: string }
  | { kind: "preview"; deploymentId: string; site: string };

const readLabel = (label: string): HostTarget => {
  const dashes = label.indexOf("--");
  const deploymentId = label.slice(0, Math.max(0, dashes));
  if (!DEPLOYMENT_ID.test(deploymentId)) return { kind: "site", site: label };
  return { kind: "preview", deploymentId, site: label.slice(dashes + 2) };
};

/**
 * What a validated host name (lower case, without port) stands for; undefined when it is no site's, which
 * leaves it to the control API. A name deeper than one label is nobody's: no certificate would cover it.
 */
export const readSiteHost = (hostname: string, sitesDomain: string): HostTarget | undefined => {
  if (!hostname.endsWith(`.${sitesDomain}`)) return undefined;
  const label = hostname.slice(0, -sitesDomain.length - 1);
  return label === "" || label.includes(".") ? undefined : readLabel(label);
};
