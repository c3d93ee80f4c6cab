import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "./errors.ts";

/** The package's root: the nearest folder above us with a package.json (sources and dist lie at different depths). */
export const packageRoot = (): string => {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
  }
};

/** Where a page of docs/ lies on this machine: the pages come with the package. */
export const docsPage = (name: string): string => join(packageRoot(), "docs", name);

/**
 * A program of ours that runs in a process of its own, by its path in dist/: compiled, be its starter compiled or not.
 * @throws AppError `unavailable` where it is not built
 */
export const builtProgram = (path: string): string => {
  const file = join(packageRoot(), "dist", path);
  if (existsSync(file)) return file;
  throw new AppError("unavailable", `${file} is not built; run: npm run build`);
};

/** The version of this package. Read, not imported: an import would put a second package.json into dist. */
export const readVersion = (): string => {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as {
    version: string;
  };
  return version;
};
