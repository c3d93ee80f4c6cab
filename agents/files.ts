import { type Dirent, existsSync, readdirSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../core/errors.ts";
import type { Look } from "../core/looks.ts";

const QUIET = { throwIfNoEntry: false } as const;

type Noted = {
  looks: Look[];
  /** folders that are closed to us: what lies there is not in the listing */
  closed: Set<string>;
};

let noted: Noted | undefined;

/**
 * What a listing looks at: as long as all of it stays as it is, the listing would find the same. Listings run
 * without a pause, so what is noted here is theirs alone.
 */
export const recordLooks = <T>(list: () => T): Noted & { value: T } => {
  const outer = noted;
  const own: Noted = { looks: [], closed: new Set() };
  noted = own;
  try {
    return { value: list(), ...own };
  } finally {
    noted = outer;
  }
};

const noteClosed = (folder: string, error: unknown): [] => {
  const code = systemCode(error);
  if (code === "EACCES" || code === "EPERM") noted?.closed.add(folder);
  return [];
};

/**
 * Whole milliseconds of a date, as every runtime tells them. As a number of milliseconds with a fraction, one in ten
 * thousand is rounded up to the next whole one.
 */
const wholeMs = (path: string, { mtimeMs }: Stats): number =>
  Number.isInteger(mtimeMs) ? Number(statSync(path, { bigint: true }).mtimeMs) : Math.trunc(mtimeMs);

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, QUIET);
  } catch (error) {
    noteClosed(dirname(path), error);
    return undefined;
  }
};

/** Noted before the folder is read: what comes into it meanwhile changes its date. */
const isThere = (folder: string): boolean => {
  if (!noted) return existsSync(folder);
  const stat = statOf(folder);
  noted.looks.push({
    path: folder,
    isFolder: true,
    stat: stat ? { sizeBytes: 0, mtimeMs: wholeMs(folder, stat) } : undefined,
  });
  return stat !== undefined;
};

/** Entries of a folder, or nothing where it is absent or closed to us. */
export const listFolder = (folder: string): Dirent[] => {
  // Most agents are not installed; an error for each of their folders would cost more than the whole listing.
  if (!isThere(folder)) return [];
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return noteClosed(folder, error);
  }
};

/** Names in a folder; a good deal faster than with their kinds, where the name tells the kind. */
export const listNames = (folder: string): string[] => {
  if (!isThere(folder)) return [];
  try {
    return readdirSync(folder);
  } catch (error) {
    return noteClosed(folder, error);
  }
};

export const listSubfolders = (folder: string): string[] =>
  listFolder(folder)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => join(folder, entry.name));

/** Size and age of a file; undefined where there is none. */
export const findStat = (path: string): { sizeBytes: number; mtimeMs: number } | undefined => {
  const stat = statOf(path);
  const found = stat?.isFile() ? { sizeBytes: stat.size, mtimeMs: wholeMs(path, stat) } : undefined;
  noted?.looks.push({ path, isFolder: false, stat: found });
  return found;
};
