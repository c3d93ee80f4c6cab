import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { readFileIfThere } from "../../core/read-file.ts";

const TSCONFIG = /^(?:ts|js)config.*\.json$/;

/**
 * The texts in a tsconfig, of which some say what it `extends`. Comments and trailing commas stand in such files; a
 * file too many has the gate run once more, and one too few would hide an error.
 */
const listTexts = (file: string): string[] => {
  const texts = readFileIfThere(file)?.match(/"(?:[^"\\\n]|\\.)+"/g) ?? [];
  return texts.map((text) => text.slice(1, -1).replaceAll("\\/", "/"));
};

const firstFile = (path: string): string | undefined =>
  [path, `${path}.json`, join(path, "tsconfig.json")].find(
    (name) => name.endsWith(".json") && existsSync(name),
  );

/** The file that `extends` means: a path beside the config, or a package in a node_modules above it. */
const findExtended = (named: string, folder: string): string | undefined => {
  if (/^(?:\.{1,2}(?:\/|$)|\/|[A-Za-z]:)/.test(named)) return firstFile(resolve(folder, named));
  const found = firstFile(join(folder, "node_modules", named));
  const up = dirname(folder);
  return found ?? (up === folder ? undefined : findExtended(named, up));
};

/**
 * The files that the project's tsconfigs extend and that are none of its own: one further up, one of a
 * package. Relative to the root.
 */
export const listExtendedConfigs = (files: readonly string[], root: string): string[] => {
  const own = files.filter((file) => TSCONFIG.test(basename(file))).map((file) => join(root, file));
  const seen = new Set(own);
  for (const config of seen)
    for (const named of listTexts(config)) {
      const found = findExtended(named, dirname(config));
      if (found !== undefined) seen.add(found);
    }
  return [...seen].slice(own.length).map((path) => relative(root, path).replaceAll("\\", "/"));
};
