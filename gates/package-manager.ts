import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readFileIfThere, withoutMark } from "../core/read-file.ts";

export type PackageManager = "npm" | "pnpm" | "yarn" | "bun";

/** How each of them adds a package for development. */
export const ADD_FOR_DEVELOPMENT: Record<PackageManager, string> = {
  npm: "npm install --save-dev",
  pnpm: "pnpm add --save-dev",
  yarn: "yarn add --dev",
  bun: "bun add --dev",
};

export type Manifest = {
  name?: string;
  packageManager?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  workspaces?: unknown;
};

/** `package.json` of a folder; undefined when there is none or it cannot be read. */
export const readManifest = (folder: string): Manifest | undefined => {
  const text = readFileIfThere(join(folder, "package.json"));
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(withoutMark(text));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

export const LOCK_FILE: Record<PackageManager, string> = {
  pnpm: "pnpm-lock.yaml",
  yarn: "yarn.lock",
  bun: "bun.lock",
  npm: "package-lock.json",
};
const MANAGERS = Object.keys(LOCK_FILE) as PackageManager[];

/** The package manager a project uses: `packageManager` of its manifest, else its lock file, else npm. */
export const findPackageManager = (folder: string): PackageManager => {
  const declared = readManifest(folder)?.packageManager?.split("@")[0];
  const found =
    MANAGERS.find((name) => name === declared) ??
    MANAGERS.find((name) => {
      const files = name === "bun" ? [LOCK_FILE.bun, "bun.lockb"] : [LOCK_FILE[name]];
      return files.some((file) => existsSync(join(folder, file)));
    });
  if (found) return found;
  const up = dirname(folder);
  // A workspace package has its lock file further up.
  return up === folder || existsSync(join(folder, ".git")) ? "npm" : findPackageManager(up);
};
