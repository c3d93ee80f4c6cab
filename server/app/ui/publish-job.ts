import { ApiError, call, type Changes, type Limits, type Missing, refuse } from "./api.ts";
import type { ChosenFile } from "./collect.ts";
import { sessionHeaders } from "./session.ts";
import { bytesText, mebibytesText } from "./format.ts";

export type ManifestEntry = { path: string; size: number; sha256: string };
export type Plan = { changes: Changes; missing: Missing[]; warnings: string[]; bytesToSend: number };
export type Created = { id: string; previewUrl: string; siteUrl: string };

/** What the limits refuse, before anything is read or sent. */
export const findLimitFaults = (files: readonly ChosenFile[], limits: Limits): string[] => {
  const faults: string[] = [];
  if (files.length > limits.maxFiles)
    faults.push(`${files.length} files: a site may have ${limits.maxFiles}`);
  for (const { path, file } of files)
    if (file.size > limits.maxFileBytes)
      faults.push(
        `${path} has ${bytesText(file.size)}: a file may have ${mebibytesText(limits.maxFileBytes)}`,
      );
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  if (total > limits.maxSiteBytes)
    faults.push(`${bytesText(total)} in all: a site may have ${mebibytesText(limits.maxSiteBytes)}`);
  if (!files.some(({ path }) => path === "index.html"))
    faults.push("There is no index.html at the top of what you chose: choose the folder that holds it");
  return faults;
};

const toHex = (digest: ArrayBuffer): string =>
  Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");

type Progress = (doneBytes: number) => void;

/** The SHA-256 of every file, one after another, telling the bytes that are done. */
export const hashAll = async (
  files: readonly ChosenFile[],
  onProgress: Progress,
): Promise<ManifestEntry[]> => {
  if (!globalThis.crypto?.subtle)
    throw new ApiError(0, "This browser hashes files only on https or localhost. Open this page there.", []);
  const manifest: ManifestEntry[] = [];
  let done = 0;
  for (const { path, file } of files) {
    const sha256 = toHex(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
    manifest.push({ path, size: file.size, sha256 });
    done += file.size;
    onProgress(done);
  }
  return manifest;
};

const deploymentsOf = (site: string): string => `/api/sites/${encodeURIComponent(site)}/deployments`;

/** What publishing these files would change. */
export const planPublish = async (site: string, manifest: readonly ManifestEntry[]): Promise<Plan> => {
  const answer = await call<{
    plan: Changes & { bytesToSend: number };
    missing: Missing[];
    warnings: string[];
  }>("POST", deploymentsOf(site), { manifest, dryRun: true });
  const { bytesToSend, ...changes } = answer.plan;
  return { changes, missing: answer.missing, warnings: answer.warnings, bytesToSend };
};

/** One upload; XMLHttpRequest, because only it tells how many bytes have left. */
const sendOne = (url: string, file: File, onSent: Progress): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    for (const [name, value] of Object.entries(sessionHeaders())) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => onSent(event.loaded));
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(refuse(request.status, request.responseText));
    });
    request.addEventListener("error", () => reject(refuse(0, "")));
    request.send(file);
  });

const ATTEMPTS = 4;
const PARALLEL = 4;

const sendWithRetries = async (url: string, file: File, onSent: Progress): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await sendOne(url, file, onSent);
      return;
    } catch (error) {
      const mayHelp =
        error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
      onSent(0);
      if (!mayHelp || attempt >= ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 300 * 2 ** attempt));
    }
  }
};

/** Creates the deployment and uploads what is missing, telling the bytes that have left. */
export const upload = async (
  site: string,
  manifest: readonly ManifestEntry[],
  { files, message, onProgress }: { files: readonly ChosenFile[]; message: string; onProgress: Progress },
): Promise<Created> => {
  const created = await call<{
    deployment: { id: string };
    previewUrl: string;
    siteUrl: string;
    missing: Missing[];
  }>(
    "POST",
    deploymentsOf(site),
    { manifest, ...(message === "" ? {} : { message }) },
    { "idempotency-key": crypto.randomUUID() },
  );
  const { id } = created.deployment;
  const queue = [...created.missing];
  const sent = new Map<string, number>();
  let isOver = false;
  const sendNext = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { path } = next;
      const file = files.find((candidate) => candidate.path === path)?.file;
      if (!file) throw new ApiError(0, `${path} is gone`, []);
      await sendWithRetries(
        `/api/deployments/${id}/assets?path=${encodeURIComponent(path)}`,
        file,
        (bytes) => {
          sent.set(path, bytes);
          if (!isOver) onProgress([...sent.values()].reduce((sum, value) => sum + value, 0));
        },
      );
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL }, sendNext));
  } finally {
    // After a failure the others begin nothing more, and what is still under way is nobody's progress.
    isOver = true;
    queue.length = 0;
  }
  return { id, previewUrl: created.previewUrl, siteUrl: created.siteUrl };
};

/** Puts a deployment live if `live` still is what is live (undefined: nothing was). */
export const activate = (id: string, live: string | undefined): Promise<unknown> =>
  call(
    "POST",
    `/api/deployments/${id}/activate`,
    undefined,
    live === undefined ? { "if-none-match": "*" } : { "if-match": `"${live}"` },
  );
