import { existsSync, readdirSync, statSync, type Dirent } from "node:fs";
import { join } from "node:path";

/** Entries of a folder, or nothing where it is absent or closed to us. */
export const listFolder = (folder: string): Dirent[] => {
  // Most agents are not installed; an error for each of their folders would cost more than the whole listing.
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

/** Names in a folder; a good deal faster than with their kinds, where the name tells the kind. */
export const listNames = (folder: string): string[] => {
  if (!existsSync(folder)) return [];
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

const QUIET = { throwIfNoEntry: false } as const;

/** Size and age of a file; undefined where there is none. Whole milliseconds, as every runtime reports alike. */
export const findStat = (path: string): { sizeBytes: number; mtimeMs: number } | undefined => {
  const stat = statSync(path, QUIET);
  return stat?.isFile() ? { sizeBytes: stat.size, mtimeMs: Math.trunc(stat.mtimeMs) } : undefined;
};
