import { type BigIntStats, type Dirent, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../core/errors.ts";

/** Folders that the listing under way may not read: what lies there is not in it. */
let closedFolders: Set<string> | undefined;

/** Runs a listing, which never waits, and says which folders it could not read. */
export const watchClosed = <T>(list: () => T): { value: T; closed: ReadonlySet<string> } => {
  const outer = closedFolders;
  const closed = (closedFolders = new Set<string>());
  try {
    return { value: list(), closed };
  } finally {
    closedFolders = outer;
  }
};

const noteClosed = (folder: string, error: unknown): void => {
  const code = systemCode(error);
  if (code === "EACCES" || code === "EPERM") closedFolders?.add(folder);
};

const listed = <T>(folder: string, read: () => T[]): T[] => {
  try {
    return read();
  } catch (error) {
    noteClosed(folder, error);
    return [];
  }
};

/** Entries of a folder, or nothing where it is absent or closed to us. */
export const listFolder = (folder: string): Dirent[] =>
  listed(folder, () => readdirSync(folder, { withFileTypes: true }));

/** Names in a folder; a good deal faster than with their kinds, where the name tells the kind. */
export const listNames = (folder: string): string[] => listed(folder, () => readdirSync(folder));

export const listSubfolders = (folder: string): string[] =>
  listFolder(folder)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => join(folder, entry.name));

/** `stamp` is another one whenever the content may be: also of a file that another of its size and date replaced. */
export type FileStat = { sizeBytes: number; mtimeMs: number; stamp: string };

const statOf = (path: string): BigIntStats | undefined => {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    noteClosed(dirname(path), error);
    return undefined;
  }
};

/** Size and age of a file; undefined where there is none. */
export const findStat = (path: string): FileStat | undefined => {
  const stat = statOf(path);
  if (!stat?.isFile()) return undefined;
  const { size, mtimeNs, ctimeNs, ino } = stat;
  return {
    sizeBytes: Number(size),
    mtimeMs: Number(mtimeNs / 1_000_000n),
    stamp: `${size}:${mtimeNs}:${ctimeNs}:${ino}`,
  };
};

/** The stamp of a database and its log. */
export const databaseStamp = (path: string): string | undefined => {
  const stamp = findStat(path)?.stamp;
  return stamp === undefined ? undefined : `${stamp} ${findStat(`${path}-wal`)?.stamp ?? ""}`;
};
