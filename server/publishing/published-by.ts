import { type Static, Type } from "../../core/schema.ts";
import type { DeploymentSummary } from "./deployment.ts";
import type { Addresses } from "./views.ts";

/** What a worker's run has published, as its page shows it. */
export const PublishedView = Type.Object({
  site: Type.String(),
  deployment: Type.String(),
  status: Type.String({ description: "`pending`, `active`, `superseded` or `expired`" }),
  createdAt: Type.String(),
  files: Type.Integer(),
  url: Type.Optional(
    Type.String({ description: "The site where it is live, else its preview; absent once it has expired" }),
  ),
});
export type PublishedView = Static<typeof PublishedView>;

export const viewPublished = (
  { id, site, status, createdAt, files }: DeploymentSummary,
  { siteUrl, previewUrl }: Addresses,
): PublishedView => ({
  site,
  deployment: id,
  status,
  createdAt: new Date(createdAt).toISOString(),
  files,
  ...(status === "expired" ? {} : { url: status === "active" ? siteUrl(site) : previewUrl(id, site) }),
});
