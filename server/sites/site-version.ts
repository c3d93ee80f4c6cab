import type { BlobName, BlobStore } from "../blobs/blobs.ts";
import type { Deployment } from "../publishing/deployment.ts";
import type { HeaderRule } from "../publishing/headers-file.ts";
import { isRuleFile, type ManifestEntry } from "../publishing/manifest.ts";
import type { RedirectRule } from "../publishing/redirects-file.ts";
import { loadRules } from "../publishing/rule-files.ts";
import type { Prepared, Repeat } from "./prepared.ts";

/**
 * One deployment, ready to be served. Immutable: a request takes the version it begins with and ends on it,
 * whatever is activated meanwhile.
 */
export type SiteVersion = {
  id: string;
  site: string;
  isPreview: boolean;
  lastModifiedMs: number;
  /** every file that may be served, by its path */
  entries: ReadonlyMap<string, ManifestEntry>;
  headers: readonly HeaderRule[];
  redirects: readonly RedirectRule[];
  /** answers made before, by path, coding and status */
  prepared: Map<string, Prepared>;
  /** whole answers to plain requests, by address and Accept-Encoding */
  repeats: Map<string, Repeat>;
};

/** A deployment as a version to serve, without the bytes that nobody has sent for it yet (`missing`). */
export const loadSiteVersion = async (
  deployment: Deployment,
  {
    blobs,
    missing = [],
    isPreview,
  }: { blobs: Pick<BlobStore, "read">; missing?: readonly BlobName[]; isPreview: boolean },
): Promise<SiteVersion> => {
  // Bytes that another site has are none of this one's, however well a manifest names them.
  const absent = new Set(missing.map(({ sha256 }) => sha256));
  const here = deployment.manifest.filter(({ sha256 }) => !absent.has(sha256));
  const { headers, redirects } = await loadRules(here, blobs);
  const served = here.filter(({ path }) => !isRuleFile(path));
  const version: SiteVersion = {
    id: deployment.id,
    site: deployment.site,
    isPreview,
    lastModifiedMs: Math.floor((deployment.activatedAt ?? deployment.createdAt) / 1000) * 1000,
    entries: new Map(served.map((entry) => [entry.path, entry])),
    headers,
    redirects,
    prepared: new Map(),
    repeats: new Map(),
  };
  return version;
};
