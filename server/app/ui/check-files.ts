import { parseHeadersFile } from "../../publishing/headers-file.ts";
import { parseRedirectsFile } from "../../publishing/redirects-file.ts";
import { ApiError, type Limits } from "./api.ts";
import type { ChosenFile } from "./chosen-file.ts";
import { mebibytesText } from "./format.ts";

export type ManifestEntry = { path: string; size: number; sha256: string };

/** Why this browser cannot publish from this address; undefined where it can. */
export const publishObstacle = (): string | undefined =>
  globalThis.crypto?.subtle
    ? undefined
    : "Publishing needs https or localhost. Open this page there, or publish from a terminal.";

export const totalOf = (files: readonly ChosenFile[]): number =>
  files.reduce((sum, { file }) => sum + file.size, 0);

/** Both in MiB: "10.5 MB" is no more than "10 MiB", to the eye. */
const preciseMebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** What the limits refuse, before anything is read or sent. */
export const findLimitFaults = (files: readonly ChosenFile[], limits: Limits): string[] => {
  const faults: string[] = [];
  if (files.length > limits.maxFiles)
    faults.push(`${files.length} files; the limit is ${limits.maxFiles} files.`);
  for (const { path, file } of files)
    if (file.size > limits.maxFileBytes)
      faults.push(
        `${path} is ${preciseMebibytes(file.size)}; the limit is ${mebibytesText(limits.maxFileBytes)} per file.`,
      );
  const total = totalOf(files);
  if (total > limits.maxSiteBytes)
    faults.push(
      `${preciseMebibytes(total)} in all; the limit is ${mebibytesText(limits.maxSiteBytes)} per site.`,
    );
  if (!files.some(({ path }) => path === "index.html"))
    faults.push("No index.html at the top level. Choose the folder that contains it.");
  return faults;
};

const RULE_FILES = { _headers: parseHeadersFile, _redirects: parseRedirectsFile };

/** Faults of both rule files, each with its line: what the server would refuse once they are uploaded. */
export const findRuleFaults = async (files: readonly ChosenFile[]): Promise<string[]> => {
  const faults: string[] = [];
  for (const [name, parse] of Object.entries(RULE_FILES)) {
    const chosen = files.find(({ path }) => path === name);
    if (!chosen) continue;
    const text = await readChosen(chosen, (file) => file.text());
    faults.push(...parse(text).faults.map(({ line, message }) => `${name}, line ${line}: ${message}`));
  }
  return faults;
};

/** A file can change or vanish between choosing and reading: then the browser refuses to read it, for ever. */
export class ChangedOnDisk extends ApiError {
  constructor(path: string) {
    super(0, `${path} changed on disk since you chose the folder. Choose it again.`, []);
  }
}

const readChosen = async <T>({ path, file }: ChosenFile, read: (file: File) => Promise<T>): Promise<T> => {
  try {
    return await read(file);
  } catch {
    throw new ChangedOnDisk(path);
  }
};

const toHex = (digest: ArrayBuffer): string =>
  Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The SHA-256 of every file, one after another, telling the bytes that are done. @throws ApiError naming the file */
export const hashAll = async (
  files: readonly ChosenFile[],
  onProgress: (doneBytes: number) => void,
): Promise<ManifestEntry[]> => {
  const manifest: ManifestEntry[] = [];
  let done = 0;
  for (const chosen of files) {
    const bytes = await readChosen(chosen, (file) => file.arrayBuffer());
    const sha256 = toHex(await crypto.subtle.digest("SHA-256", bytes));
    manifest.push({ path: chosen.path, size: bytes.byteLength, sha256 });
    done += bytes.byteLength;
    onProgress(done);
  }
  return manifest;
};
