import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readFileIfThere, withoutMark } from "../read-file.ts";

/** File names of a config, in the order in which a folder is searched; `package.json#agent` comes last. */
export const CONFIG_NAMES: readonly string[] = ["ts", "mts", "js", "mjs", "json", "yaml", "yml"].map(
  (ending) => `agent.config.${ending}`,
);

const ancestors = (folder: string): string[] => {
  const up = dirname(folder);
  return up === folder ? [folder] : [folder, ...ancestors(up)];
};

/** The project that a folder belongs to: its git work tree, else the nearest package.json, else itself. */
export const findProjectRoot = (cwd: string): string => {
  const folders = ancestors(resolve(cwd));
  const having = (name: string) => folders.find((folder) => existsSync(join(folder, name)));
  return having(".git") ?? having("package.json") ?? resolve(cwd);
};

const hasAgentKey = (path: string): boolean => {
  try {
    const text = withoutMark(readFileIfThere(path) ?? "");
    if (!text.includes('"agent"')) return false;
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "agent" in value;
  } catch {
    return false; // no package.json, or one that cannot be read: not a config of ours
  }
};

/** Path of the config that `loadConfig` would read, found without reading it; undefined when there is none. */
export const findConfigFile = (cwd: string): string | undefined => {
  const root = findProjectRoot(cwd);
  for (const folder of ancestors(resolve(cwd))) {
    const name = CONFIG_NAMES.find((candidate) => existsSync(join(folder, candidate)));
    if (name !== undefined) return join(folder, name);
    const manifest = join(folder, "package.json");
    if (hasAgentKey(manifest)) return manifest;
    if (folder === root) return undefined;
  }
  return undefined;
};
