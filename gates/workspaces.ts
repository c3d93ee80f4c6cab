import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { readFileIfThere } from "../core/read-file.ts";
import { listByGlobs } from "../core/list-files.ts";
import { readManifest } from "./package-manager.ts";

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const ofPnpm = (root: string): unknown => {
  try {
    const file: unknown = parse(readFileIfThere(join(root, "pnpm-workspace.yaml")) ?? "");
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
