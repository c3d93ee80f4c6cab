import type { BlobStore } from "../blobs/blobs.ts";
import { isHtml } from "../publishing/content-type.ts";
import { previewLabel } from "../publishing/deployment.ts";
import type { PublishingStore } from "../publishing/store.ts";
import { loadSiteVersion, type SiteVersion } from "./site-version.ts";

type MaybePromise<T> = T | Promise<T>;

/** Which deployment answers for which host. */
export type SiteDirectory = {
  /** What is live on a site; undefined when there is no such site or nothing is live. */
  findLive: (site: string) => MaybePromise<SiteVersion | undefined>;
  /** A deployment by its id, if `label` is its preview's host label. */
  findPreview: (deploymentId: string, label: string) => Promise<SiteVersion | undefined>;
  /** The deployment before the live one that had this file (never a page), for tabs opened back then. */
  findOlder: (version: SiteVersion, path: string) => Promise<SiteVersion | undefined>;
  /** Takes over what the store says now; resolves when every later request is answered by it. */
  refresh: (site: string) => Promise<void>;
  /** The sites of which anything is answered from memory, that nothing is live included. */
  remembered: () => string[];
  /** the deployment that is remembered as a site's live one */
  liveId: (site: string) => string | undefined;
};

type Ports = { store: PublishingStore; blobs: Pick<BlobStore, "read">; now: () => number };

const MAX_NAMES = 2000;
const MAX_PREVIEWS = 50;
const OLDER_DEPLOYMENTS = 5;
const OLDER_MS = 7 * 24 * 3_600_000;

export const createSiteDirectory = ({ store, blobs, now }: Ports): SiteDirectory => {
  // Null remembers that nothing is live, so that made-up names cost one look-up each.
  const live = new Map<string, SiteVersion | null>();
  const previews = new Map<string, SiteVersion>();
  const older = new WeakMap<SiteVersion, Promise<Map<string, SiteVersion>>>();
  const changes = new Map<string, number>();

  const loadLive = async (site: string): Promise<SiteVersion | undefined> => {
    const id = (await store.findSite(site))?.activeDeploymentId;
    const deployment = id === undefined ? undefined : await store.findDeployment(id);
    return deployment && loadSiteVersion(deployment, { blobs, isPreview: false });
  };

  const remember = (site: string, version: SiteVersion | undefined): void => {
    if (live.size >= MAX_NAMES && !live.has(site)) live.clear();
    live.set(site, version ?? null);
  };

  const readLive = async (site: string): Promise<SiteVersion | undefined> => {
    const change = changes.get(site);
    const version = await loadLive(site);
    // An activation that ended while we read has put the newer one in place already.
    if (changes.get(site) !== change) return live.get(site) ?? undefined;
    remember(site, version);
    return version;
  };

  const readOlder = async (version: SiteVersion): Promise<Map<string, SiteVersion>> => {
    const found = new Map<string, SiteVersion>();
    const recent = (await store.listDeployments(version.site))
      .filter(({ status, activatedAt }) => status === "superseded" && (activatedAt ?? 0) > now() - OLDER_MS)
      .sort((a, b) => (b.activatedAt ?? 0) - (a.activatedAt ?? 0))
      .slice(0, OLDER_DEPLOYMENTS);
    for (const { id } of recent) {
      const deployment = await store.findDeployment(id);
      if (!deployment) continue;
      const past = await loadSiteVersion(deployment, { blobs, isPreview: false });
      for (const [path, { contentType }] of past.entries)
        if (!isHtml(contentType) && !found.has(path)) found.set(path, past);
    }
    return found;
  };

  const loadPreview = async (deploymentId: string): Promise<SiteVersion | undefined> => {
    const known = previews.get(deploymentId);
    if (known) return known;
    const deployment = await store.findDeployment(deploymentId);
    if (!deployment || deployment.status === "expired") return undefined;
    const missing = deployment.status === "pending" ? await store.listMissing(deploymentId) : [];
    const version = await loadSiteVersion(deployment, { blobs, missing, isPreview: true });
    if (missing.length === 0) previews.set(deploymentId, version);
    const oldest = previews.keys().next().value;
    if (previews.size > MAX_PREVIEWS && oldest !== undefined) previews.delete(oldest);
    return version;
  };

  return {
    remembered: () => [...new Set([...live.keys(), ...[...previews.values()].map(({ site }) => site)])],
    liveId: (site) => live.get(site)?.id,
    findLive: (site) => {
      const known = live.get(site);
      return known === undefined ? readLive(site) : (known ?? undefined);
    },
    findPreview: async (deploymentId, label) => {
      const version = await loadPreview(deploymentId);
      return version && label === previewLabel(deploymentId, version.site) ? version : undefined;
    },
    findOlder: async (version, path) => {
      let known = older.get(version);
      if (!known) {
        older.set(version, (known = readOlder(version)));
        // What could not be read once is read again for the next visitor.
        known.catch(() => older.delete(version));
      }
      return (await known).get(path);
    },
    refresh: async (site) => {
      const version = await loadLive(site);
      changes.set(site, (changes.get(site) ?? 0) + 1);
      remember(site, version);
      for (const [id, preview] of previews) if (preview.site === site) previews.delete(id);
    },
  };
};
