import { readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { AppError, systemCode } from "../../core/errors.ts";

/** A file to publish: its path in the site, and where it lies. */
export type LocalFile = { path: string; file: string; size: number };

/** What of a folder is published, and what is left out with the reason. */
export type Collected = { files: LocalFile[]; skipped: { path: string; reason: string }[] };

const isHidden = (name: string, folder: string): boolean =>
  name.startsWith(".") && !(folder === "" && name === ".well-known");

type Walk = { root: string; seen: Set<string>; found: Collected };

const addEntry = async (walk: Walk, folder: string, name: string): Promise<void> => {
  const { root, seen, found } = walk;
  const path = folder === "" ? name : `${folder}/${name}`;
  const skip = (reason: string) => found.skipped.push({ path, reason });
  if (isHidden(name, folder)) {
    skip("hidden");
    return;
  }
  const file = join(root, path);
  let real: string;
  try {
    real = await realpath(file);
  } catch {
    skip("a link to nothing");
    return;
  }
  // A link out of the folder would publish what nobody meant to publish.
  if (real !== root && !real.startsWith(root + sep)) {
    skip(`a link out of the folder, to ${real}`);
    return;
  }
  const about = await stat(real);
  if (about.isDirectory()) {
    if (seen.has(real)) skip("a link to a folder that is already in");
    else await addFolder(walk, path, real);
  } else if (about.isFile()) found.files.push({ path: path.normalize("NFC"), file, size: about.size });
  else skip("no file");
};

const addFolder = async (walk: Walk, folder: string, real: string): Promise<void> => {
  walk.seen.add(real);
  for (const name of (await readdir(real)).sort()) await addEntry(walk, folder, name);
};

/**
 * Every file below a folder, by its path in the site; hidden ones and links that lead out are left out.
 * @throws AppError `not-found` when there is no such folder
 */
export const collectFiles = async (folder: string): Promise<Collected> => {
  let root: string;
  try {
    root = await realpath(folder);
    if (!(await stat(root)).isDirectory()) throw new AppError("bad-data", `${folder} is not a folder`);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") throw error;
    throw new AppError("not-found", `there is no folder ${folder}`, { cause: error });
  }
  const found: Collected = { files: [], skipped: [] };
  await addFolder({ root, seen: new Set(), found }, "", root);
  return found;
};
