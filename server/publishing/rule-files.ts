import { AppError } from "../../core/errors.ts";
import type { BlobStore } from "../blobs/blobs.ts";
import { type HeaderRule, parseHeadersFile, type RuleFault } from "./headers-file.ts";
import { isRuleFile, type ManifestEntry, type ManifestFault } from "./manifest.ts";
import { parseRedirectsFile, type RedirectRule } from "./redirects-file.ts";

export type SiteRules = { headers: HeaderRule[]; redirects: RedirectRule[] };

const MAX_FAULTS = 50;

const toManifestFault = (file: string, { line, message }: RuleFault): ManifestFault => ({
  path: `/${file}/${line}`,
  message: `${file}, line ${line}: ${message}`,
  file,
});

/** Faults of a `_headers` or `_redirects` file, each with its line; other files have none. */
const findRuleFaults = (path: string, bytes: Uint8Array): ManifestFault[] => {
  if (!isRuleFile(path)) return [];
  const text = new TextDecoder().decode(bytes);
  const { faults } = path === "_headers" ? parseHeadersFile(text) : parseRedirectsFile(text);
  return faults.slice(0, MAX_FAULTS).map((fault) => toManifestFault(path, fault));
};

/** All faults as one text. */
export const listFaults = (faults: readonly ManifestFault[]): string =>
  faults.map(({ message }) => message).join("; ");

/** Faults of those rule files of a manifest whose bytes are there already. */
export const findKnownRuleFaults = async (
  entries: readonly ManifestEntry[],
  blobs: Pick<BlobStore, "read">,
): Promise<ManifestFault[]> => {
  const faults: ManifestFault[] = [];
  for (const { path, sha256 } of entries.filter(({ path }) => isRuleFile(path))) {
    const bytes = await readIfThere(blobs, sha256);
    if (bytes) faults.push(...findRuleFaults(path, bytes));
  }
  return faults;
};

const readIfThere = async (
  blobs: Pick<BlobStore, "read">,
  sha256: string,
): Promise<Uint8Array | undefined> => {
  try {
    return await blobs.read(sha256);
  } catch (error) {
    if (error instanceof AppError && error.code === "not-found") return undefined;
    throw error;
  }
};

/** The rules of a site; a file that is not uploaded yet has none. */
export const loadRules = async (
  entries: readonly ManifestEntry[],
  blobs: Pick<BlobStore, "read">,
): Promise<SiteRules> => {
  const textOf = async (path: string): Promise<string> => {
    const entry = entries.find((candidate) => candidate.path === path);
    if (!entry) return "";
    const bytes = await readIfThere(blobs, entry.sha256);
    return new TextDecoder().decode(bytes ?? new Uint8Array());
  };
  return {
    headers: parseHeadersFile(await textOf("_headers")).rules,
    redirects: parseRedirectsFile(await textOf("_redirects")).rules,
  };
};
