import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, isAbsolute, join, posix } from "node:path";
import { systemCode } from "../../core/errors.ts";

/** A folder of installed packages, and what tells whether anything in it was touched. */
export type MarkedFolder = { path: string; mark: string };

const NODE = "node_modules";
const PYTHON = [".venv", "venv"];
const MOST_FOLDERS = 200;
/** What tools write there while they work; a room gets none of it. */
const SCRATCH = new Set([".cache", ".vite", ".vite-temp", ".vitest", ".turbo", ".nyc_output", ".tmp"]);
const KEPT = new Set([".bin", ".pnpm", ".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".bun"]);

const isScratch = (name: string): boolean => name === "__pycache__" || SCRATCH.has(name);

/** Folders of installed packages that a project may have, by the manifests that git knows. */
const listFolders = (files: readonly string[]): string[] => {
  const manifests = files.filter((file) => posix.basename(file) === "package.json").slice(0, MOST_FOLDERS);
  const tracked = (folder: string) => files.some((file) => file.startsWith(`${folder}/`));
  return [
    ...PYTHON,
    ...new Set([NODE, ...manifests.map((file) => posix.join(posix.dirname(file), NODE))]),
  ].filter((folder) => !tracked(folder));
};

/** The folders of installed packages below `top` as they are now. */
export const markDependencies = async (top: string, files: readonly string[]): Promise<MarkedFolder[]> => {
  const found: MarkedFolder[] = [];
  for (const path of listFolders(files)) {
    const folder = join(top, path);
    // A link leads to where we do not look.
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    found.push({ path, mark: await markFolder(folder) });
  }
  return found;
};

/**
 * A hash over every name, size and time of change below a folder. The time of change is the kernel's: nobody but
 * root can put it back.
 */
export const markFolder = async (folder: string): Promise<string> => {
  const hash = createHash("sha256");
  const walk = async (path: string, isTop: boolean): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (isScratch(entry.name) || (isTop && entry.name.startsWith(".") && !isKept(entry.name))) continue;
      const full = join(path, entry.name);
      if (entry.isDirectory()) {
        hash.update(`${full}/\0`);
        await walk(full, false);
      } else {
        // Read at once: a promise for each of many thousand files takes ten times as long as the files do.
        const { size, ctimeNs, ino } = lstatSync(full, { bigint: true });
        hash.update(`${full}\0${size}\0${ctimeNs}\0${ino}\0`);
      }
    }
  };
  try {
    await walk(folder, true);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    return `moving ${Math.random()}`; // somebody works in it: it is like nothing else
  }
  return hash.digest("hex");
};

const isKept = (name: string): boolean => KEPT.has(name);

/**
 * Puts a folder of installed packages into a room by links, package by package: what a tool writes beside them
 * stays in the room. Links that lead within the project lead to the same place of the room.
 */
export const linkDependencies = async (from: string, to: string): Promise<void> => {
  if (existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true });
  if (posix.basename(to) !== NODE) {
    symlinkSync(from, to);
    return;
  }
  mkdirSync(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name.startsWith(".") && !isKept(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name.startsWith("@")) {
      mkdirSync(target);
      for (const inner of await readdir(source)) putLink(join(source, inner), join(target, inner));
    } else putLink(source, target);
  }
};

const putLink = (source: string, target: string): void => {
  const link = lstatSync(source).isSymbolicLink() ? readlinkSync(source) : undefined;
  symlinkSync(link === undefined || isAbsolute(link) ? source : link, target);
};
