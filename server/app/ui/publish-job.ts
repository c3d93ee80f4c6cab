import {
  ApiError,
  call,
  type Changes,
  inPath,
  type Made,
  type Missing,
  type Planned,
  type Site,
} from "./api.ts";
import { ChangedOnDisk, type ManifestEntry } from "./check-files.ts";
import type { ChosenFile } from "./chosen-file.ts";
import { sendFile } from "./send-file.ts";

export type Created = { id: string; previewUrl: string; siteUrl: string };
export type Plan = { changes: Changes; missing: Missing[]; warnings: string[]; bytesToSend: number };
/** How far an upload is. */
export type Progress = { bytes: number; totalBytes: number; files: number; totalFiles: number };

/** What publishing these files would change. */
export const planPublish = async (site: string, manifest: readonly ManifestEntry[]): Promise<Plan> => {
  const answer = await call(({ api }) =>
    api.sites({ name: inPath(site) }).deployments.post({ manifest: [...manifest], dryRun: true }),
  );
  const { plan, missing, warnings } = answer as Planned;
  const { bytesToSend, ...changes } = plan;
  return { changes, missing, warnings, bytesToSend };
};

/** Creates a deployment that waits for its files. @param key makes asking twice the same as asking once */
export const createDeployment = async (
  site: string,
  manifest: readonly ManifestEntry[],
  { message, key }: { message: string; key: string },
): Promise<{ created: Created; missing: Missing[] }> => {
  const answer = await call(({ api }) =>
    api
      .sites({ name: inPath(site) })
      .deployments.post(
        { manifest: [...manifest], ...(message === "" ? {} : { message }) },
        { headers: { "idempotency-key": key } },
      ),
  );
  const { deployment, previewUrl, siteUrl, missing } = answer as Made;
  return { created: { id: deployment.id, previewUrl, siteUrl }, missing };
};

/** What a deployment still lacks; undefined when it is gone. */
export const findMissing = async (id: string): Promise<Missing[] | undefined> => {
  try {
    return (await call(({ api }) => api.deployments({ id }).get())).missing;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
};

const PARALLEL = 4;

/**
 * Uploads what a deployment lacks, telling how far it is. After a failure nothing more is begun; it ends when what was
 * under way has ended. @throws ApiError naming the file
 */
export const uploadMissing = async (
  id: string,
  missing: readonly Missing[],
  {
    files,
    signal,
    onProgress,
  }: { files: readonly ChosenFile[]; signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<void> => {
  const queue = [...missing];
  const sent = new Map<string, number>();
  const totalBytes = missing.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  const tell = () => {
    const bytes = [...sent.values()].reduce((sum, value) => sum + value, 0);
    onProgress({
      bytes: Math.min(bytes, totalBytes),
      totalBytes,
      files: done,
      totalFiles: missing.length,
    });
  };
  const sendNext = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { path } = next;
      const chosen = files.find((candidate) => candidate.path === path);
      if (!chosen) throw new ChangedOnDisk(path);
      const onSent = (bytes: number) => {
        sent.set(path, bytes);
        tell();
      };
      try {
        await sendFile(`/api/deployments/${id}/assets?path=${encodeURIComponent(path)}`, chosen, {
          onSent,
          signal,
        });
      } catch (error) {
        queue.length = 0;
        throw error;
      }
      done += 1;
      tell();
    }
  };
  tell();
  const ended = await Promise.allSettled(Array.from({ length: PARALLEL }, sendNext));
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
};

/** Puts a deployment live if `live` still is what is live (undefined: nothing was). */
export const activate = (id: string, live: string | undefined): Promise<unknown> =>
  call(({ api }) =>
    api.deployments({ id }).activate.post(undefined, {
      headers: live === undefined ? { "if-none-match": "*" } : { "if-match": `"${live}"` },
    }),
  );

/** What putting a deployment live would change now. */
export const changesOf = (id: string): Promise<Changes> =>
  call(({ api }) => api.deployments({ id }).changes.get());

/** A site that there is. Looked up in the list: asking for one that is still to be made is an error in the console. */
export const findSite = async (name: string): Promise<Site | undefined> =>
  (await call(({ api }) => api.sites.get())).sites.find((site) => site.name === name);

/** Which deployment of a site is live; undefined for none, or no site. */
export const findLive = async (site: string): Promise<string | undefined> =>
  (await findSite(site))?.activeDeploymentId;
