import { AppError } from "../core/errors.ts";
import type { AuthPorts } from "./auth/authenticate.ts";
import type { BlobStep } from "./blobs/blobs.ts";
import { type Log, logFailure } from "../core/log.ts";
import { createPublishingApi } from "./publishing/api.ts";
import { collect } from "./publishing/collect.ts";
import { LIMITS } from "./publishing/limits.ts";
import type { PublishingPorts } from "./publishing/ports.ts";
import { createAssetReceiver } from "./publishing/receive-asset.ts";
import { RETENTION } from "./publishing/retention.ts";
import type { PublishingStores } from "./publishing/publishing-stores.ts";
import type { Settings } from "./settings.ts";
import { createBodyCache } from "./sites/body-cache.ts";
import { answerVersion, createSitesHandler, type SitesPorts } from "./sites/handle-site.ts";
import { createPacker, type Packer } from "./sites/packed-bodies.ts";
import { createSiteDirectory } from "./sites/site-directory.ts";
import { watchSites } from "./sites/site-watch.ts";
import { loadSiteVersion } from "./sites/site-version.ts";

export type PublishStep = BlobStep | "activation-checked" | "activation-committed" | "activation-live";

type Inputs = {
  stores: PublishingStores;
  auth: AuthPorts;
  settings: Pick<Settings, "sitesDomain" | "allowedHosts" | "publicUrl" | "quota">;
  log: Log;
  now: () => number;
  onStep?: ((step: PublishStep) => void) | undefined;
};

const COLLECT_MS = 3_600_000;
const FIRST_COLLECT_MS = 1000;
const PREVIEW_ACCEPT = "text/html,*/*";

/** Collects soon after the start and then every hour, one collection after another. */
const collectRegularly = (
  ports: PublishingPorts,
  { tidy, log }: { tidy: () => Promise<void>; log: Log },
): (() => Promise<void>) => {
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    running = running.then(async () => {
      try {
        await tidy();
        const report = await collect(ports, { dryRun: false });
        if (report.blobs + report.expired.length > 0) log.info(report, "collected");
      } catch (error) {
        logFailure(log, error, "collection failed");
      }
    });
  };
  const timer = setInterval(run, COLLECT_MS);
  const first = setTimeout(run, FIRST_COLLECT_MS);
  timer.unref();
  first.unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
    return running;
  };
};

/** Packs in the background what a killed process did not get to pack. */
const packLeftOvers = ({
  store,
  packer,
  onError,
}: Pick<PublishingStores, "store"> & { packer: Packer; onError: (error: unknown) => void }) => {
  let isStopping = false;
  const run = async (): Promise<void> => {
    for (const { active } of await store.listSites()) {
      if (isStopping) return;
      const deployment = active && (await store.findDeployment(active.id));
      if (deployment) await packer.pack(deployment.manifest);
    }
  };
  const running = run().catch(onError);
  return async (): Promise<void> => {
    isStopping = true;
    await packer.stop();
    await running;
  };
};

/** Builds everything that publishing and sites need on their stores. */
export const openPublishing = async ({ stores, auth, settings, log, now, onStep }: Inputs) => {
  const { sitesDomain, allowedHosts, publicUrl } = settings;
  const { store, blobs, feed } = stores;
  const directory = createSiteDirectory({ store, blobs, now });
  const onError = (error: unknown) => {
    // That the database is unavailable is said once, where its connections are; that we stop, we know.
    const isKnown = error instanceof AppError && ["unavailable", "interrupted"].includes(error.code);
    if (!isKnown) log.error({ err: error }, "site failed");
  };
  const watch = feed && (await watchSites({ directory, feed, onError }));
  const packer = createPacker(blobs, onError);
  const bodies = createBodyCache(blobs);
  const sites: SitesPorts = { directory, blobs, bodies, sitesDomain, allowedHosts, onError };

  const publishing: PublishingPorts = {
    store,
    blobs,
    limits: LIMITS,
    quota: settings.quota,
    retention: RETENTION,
    now,
    onStep,
    fetchPreview: async (id, path) => {
      const deployment = await store.findDeployment(id);
      if (!deployment) return { status: 404, text: "" };
      const version = await loadSiteVersion(deployment, { blobs, isPreview: true });
      const request = new Request(`http://preview.invalid${path}`, { headers: { accept: PREVIEW_ACCEPT } });
      const response = await answerVersion(sites, request, version);
      return { status: response.status, text: await response.text() };
    },
    refreshSite: async (site) => {
      await (watch ?? directory).refresh(site);
      const version = await directory.findLive(site);
      if (version) void packer.pack([...version.entries.values()]);
    },
  };
  const api = createPublishingApi({ publishing, auth, sitesDomain, publicUrl });
  const stopPacking = packLeftOvers({ store, packer, onError });
  const stopCollecting = collectRegularly(publishing, { tidy: stores.tidy, log });
  return {
    publishing,
    sites: createSitesHandler(sites),
    routes: { auth, api, receiveAsset: createAssetReceiver(publishing, api) },
    close: async () => {
      await watch?.stop();
      await stopCollecting();
      await stopPacking();
    },
  };
};
