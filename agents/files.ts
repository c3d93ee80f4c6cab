import { existsSync, readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";
import type { Look } from "../core/looks.ts";

const QUIET = { throwIfNoEntry: false } as const;

let looks: Look[] | undefined;

/**
 * What a listing looks at: as long as all of it stays as it is, the listing would find the same. Listings run
 * without a pause, so what is noted here is theirs alone.
 */
export const recordLooks = <T>(list: () => T): { value: T; looks: Look[] } => {
  const outer = looks;
  const own: Look[] = [];
  looks = own;
  try {
    return { value: list(), looks: own };
  } finally {
    looks = outer;
  }
};

/** Noted before the folder is read: what comes into it meanwhile changes its date. */
const isThere = (folder: string): boolean => {
  if (!looks) return existsSync(folder);
  const stat = statSync(folder, QUIET);
  looks.push({
    path: folder,
    isFolder: true,
    stat: stat ? { sizeBytes: 0, mtimeMs: Math.trunc(stat.mtimeMs) } : undefined,
  });
  return stat !== undefined;
};

/** Entries of a folder, or nothing where it is absent or closed to us. */
export const listFolder = (folder: string): Dirent[] => {
  // Most agents are not installed; an error for each of their folders would cost more than the whole listing.
  if (!isThere(folder)) return [];
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

/** Names in a folder; a good deal faster than with their kinds, where the name tells the kind. */
export const listNames = (folder: string): string[] => {
  if (!isThere(folder)) return [];
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

export const listSubfolders = (folder: string): string[] =>
  listFolder(folder)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => join(folder, entry.name));

/** Size and age of a file; undefined where there is none. Whole milliseconds, as every runtime reports alike. */
export const findStat = (path: string): { sizeBytes: number; mtimeMs: number } | undefined => {
  const stat = statSync(path, QUIET);
  const found = stat?.isFile() ? { sizeBytes: stat.size, mtimeMs: Math.trunc(stat.mtimeMs) } : undefined;
  looks?.push({ path, isFolder: false, stat: found });
  return found;
};
