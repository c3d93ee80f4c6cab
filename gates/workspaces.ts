import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as Yaml from "yaml";
import { readFileIfThere } from "../core/read-file.ts";
import { listByGlobs } from "../core/list-files.ts";
import { readManifest } from "./package-manager.ts";

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

// Only a pnpm workspace pays for the parser, a quarter of what a cached run costs.
const parseYaml = (text: string): unknown =>
  (createRequire(import.meta.url)("yaml") as typeof Yaml).parse(text);

const ofPnpm = (root: string): unknown => {
  try {
    const text = readFileIfThere(join(root, "pnpm-workspace.yaml"));
    const file = text === undefined ? undefined : parseYaml(text);
    return typeof file === "object" && file !== null && "packages" in file ? file.packages : undefined;
  } catch {
    return undefined; // pnpm names it
  }
};

const ofManifest = (root: string): unknown => {
  const declared = readManifest(root)?.workspaces;
  return typeof declared === "object" && declared !== null && "packages" in declared
    ? declared.packages
    : declared;
};

/** The folders of a project's workspace packages, as npm, pnpm, yarn and bun declare them; relative to the root. */
export const listWorkspaces = (root: string): string[] => {
  const globs = [ofPnpm(root), ofManifest(root)].find((declared) => isStrings(declared)) ?? [];
  if (!isStrings(globs) || globs.length === 0) return [];
  const manifests = globs.map((glob) => `${glob.replace(/^\.\/|\/+$/g, "")}/package.json`);
  return listByGlobs(manifests, root)
    .map((file) => dirname(file))
    .filter((folder) => folder !== "." && existsSync(join(root, folder)));
};
