import { createHash } from "node:crypto";
import type { Fault } from "../../core/errors.ts";
import { parseAssetPath } from "./asset-path.ts";
import { contentTypeOf, isContentType } from "./content-type.ts";
import type { Limits } from "./limits.ts";
import { findTwins } from "./path-twins.ts";

/** One file of a deployment; `path` is its key, `sha256` (hex) names its bytes. */
export type ManifestEntry = { path: string; size: number; contentType: string; sha256: string };

/** What a publisher sends; the content type is optional because the extension mostly decides. */
export type ManifestInput = { path: string; size: number; contentType?: string | undefined; sha256: string };

/** A fault of a manifest: also names the file, the limit and the value where there is one. */
export type ManifestFault = Fault & { file?: string; limit?: number; value?: number };

export type ManifestCheck = { entries: ManifestEntry[]; faults: ManifestFault[]; warnings: string[] };

/** Files that steer how a site is served and are themselves never served. */
export const isRuleFile = (path: string): boolean => path === "_headers" || path === "_redirects";

const SHA256 = /^[0-9a-f]{64}$/;
const clip = (text: string): string => (text.length > 120 ? `${text.slice(0, 117)}...` : text);

const checkEntry = (input: ManifestInput, index: number, limits: Limits) => {
  const at = `/manifest/${index}`;
  const file = clip(input.path);
  const faults: ManifestFault[] = [];
  const parsed = parseAssetPath(input.path, limits.maxPathChars);
  if ("fault" in parsed) faults.push({ path: `${at}/path`, message: `"${file}" ${parsed.fault}`, file });
  if (!Number.isSafeInteger(input.size) || input.size < 0)
    faults.push({ path: `${at}/size`, message: `"${file}": size must be a whole number of bytes`, file });
  else if (input.size > limits.maxFileBytes)
    faults.push({
      path: `${at}/size`,
      message: `"${file}" has ${input.size} bytes; each file must be at most ${limits.maxFileBytes} bytes`,
      file,
      limit: limits.maxFileBytes,
      value: input.size,
    });
  if (!SHA256.test(input.sha256))
    faults.push({ path: `${at}/sha256`, message: `"${file}": sha256 must be 64 lowercase hex digits`, file });
  if (input.contentType !== undefined && !isContentType(input.contentType))
    faults.push({ path: `${at}/contentType`, message: `"${file}": not a media type`, file });
  return { faults, parsed };
};

/** An entry with the place in the request it came from, for the faults that compare entries. */
type Located = ManifestEntry & { at: string };

const ruleFileFaults = (entries: readonly Located[], limits: Limits): ManifestFault[] =>
  entries
    .filter(({ path, size }) => isRuleFile(path) && size > limits.maxRuleFileBytes)
    .map(({ path, size, at }) => ({
      path: `${at}/size`,
      message: `"${path}" has ${size} bytes; a rule file may have ${limits.maxRuleFileBytes}`,
      file: path,
      limit: limits.maxRuleFileBytes,
      value: size,
    }));

const totalFaults = (entries: readonly Located[], count: number, limits: Limits): ManifestFault[] => {
  const faults: ManifestFault[] = [];
  if (count === 0 || count > limits.maxFiles)
    faults.push({
      path: "/manifest",
      message: `A deployment requires 1-${limits.maxFiles} files; this one has ${count}`,
      limit: limits.maxFiles,
      value: count,
    });
  const total = totalBytes(entries);
  if (total > limits.maxSiteBytes)
    faults.push({
      path: "/manifest",
      message: `Site exceeds ${limits.maxSiteBytes} byte limit: its files have ${total} bytes in all`,
      limit: limits.maxSiteBytes,
      value: total,
    });
  if (count <= limits.maxFiles && !entries.some(({ path }) => path === "index.html"))
    faults.push({
      path: "/manifest",
      message: "index.html is required at the top of the site",
      file: "index.html",
    });
  return faults;
};

const byPath = (a: ManifestEntry, b: ManifestEntry): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;

/** Checks every entry; faults of all of them are listed, and entries come back normalised. */
const checkEntries = (inputs: readonly ManifestInput[], limits: Limits) => {
  const entries: Located[] = [];
  const faults: ManifestFault[] = [];
  const warnings: string[] = [];
  for (const [index, input] of inputs.entries()) {
    const { faults: found, parsed } = checkEntry(input, index, limits);
    faults.push(...found);
    if ("fault" in parsed) continue;
    warnings.push(...parsed.warnings.map((warning) => `${parsed.path}: ${warning}`));
    const { size, sha256 } = input;
    const contentType = contentTypeOf(parsed.path, input.contentType);
    entries.push({ path: parsed.path, size, contentType, sha256, at: `/manifest/${index}` });
  }
  return { entries, faults, warnings };
};

const twinFaults = (entries: readonly Located[]): ManifestFault[] =>
  findTwins(entries.map(({ path }) => path)).flatMap(({ index, other, reason }) => {
    const [entry, twin] = [entries[index], entries[other]];
    if (!entry || !twin) return [];
    const beside = entry.path === twin.path ? "" : ` (beside "${twin.path}")`;
    return [{ path: `${entry.at}/path`, message: `"${entry.path}" ${reason}${beside}`, file: entry.path }];
  });

const sizeTwinFaults = (entries: readonly Located[]): ManifestFault[] => {
  const first = new Map<string, Located>();
  return entries.flatMap((entry) => {
    const twin = first.get(entry.sha256) ?? entry;
    first.set(entry.sha256, twin);
    const message = `"${entry.path}" and "${twin.path}" have one sha256 but different sizes`;
    return twin.size === entry.size ? [] : [{ path: `${entry.at}/size`, message, file: entry.path }];
  });
};

/** What a patch changes: `manifest` entries are added to or replace those of `base`; `remove` takes paths out. */
export type ManifestPatch = { base?: readonly ManifestEntry[]; remove?: readonly string[] };

const removeFrom = (base: readonly ManifestEntry[], remove: readonly string[]) => {
  const paths = new Set(base.map(({ path }) => path));
  const gone = new Set<string>();
  const faults: ManifestFault[] = [];
  for (const [index, text] of remove.entries()) {
    const path = text.normalize("NFC").replace(/^\//, "");
    gone.add(path);
    const file = clip(path);
    if (!paths.has(path))
      faults.push({ path: `/remove/${index}`, message: `"${file}" is not in the base`, file });
  }
  return { kept: base.filter(({ path }) => !gone.has(path)), faults };
};

/** The whole manifest of a new deployment, sorted by path, with every fault of the request at once. */
export const checkManifest = (
  inputs: readonly ManifestInput[],
  limits: Limits,
  { base = [], remove = [] }: ManifestPatch = {},
): ManifestCheck => {
  // A list far beyond the limit is not worth a fault per file: its length alone says it.
  const sent = checkEntries(inputs.slice(0, limits.maxFiles * 2), limits);
  const removed = removeFrom(base, remove);
  const replaced = new Set(sent.entries.map(({ path }) => path));
  const kept = removed.kept.filter(({ path }) => !replaced.has(path));
  const entries: Located[] = [...sent.entries, ...kept.map((entry) => ({ ...entry, at: "/base" }))];
  const faults = [
    ...sent.faults,
    ...removed.faults,
    ...twinFaults(entries),
    ...sizeTwinFaults(entries),
    ...ruleFileFaults(entries, limits),
    ...totalFaults(entries, inputs.length + kept.length, limits),
  ];
  const plain = entries.map(({ at: _at, ...entry }) => entry);
  return { entries: plain.sort(byPath), faults, warnings: sent.warnings };
};

/** Digest of what a site is, whatever the order it was listed in: equal digests are equal sites. */
export const manifestDigest = (entries: readonly ManifestEntry[]): string => {
  const hash = createHash("sha256");
  for (const { path, size, contentType, sha256 } of [...entries].sort(byPath))
    hash.update(`${JSON.stringify([path, size, contentType, sha256])}\n`);
  return hash.digest("hex");
};

export const totalBytes = (entries: readonly ManifestEntry[]): number =>
  entries.reduce((sum, { size }) => sum + size, 0);
