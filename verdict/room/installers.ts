import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** How the packages that a lock file names get into a checkout: first without the network, then with it. */
export type Installer = {
  lock: string;
  commands: readonly string[];
  folders: readonly string[];
  /** what the first command does, where it does not say so itself */
  title?: string;
};

const node = (lock: string, ...commands: string[]): Installer => ({
  lock,
  commands,
  folders: ["node_modules"],
});

const NPM = ["npm ci --offline --no-audit --no-fund", "npm ci --no-audit --no-fund"];
const BUN = "bun install --frozen-lockfile";

const INSTALLERS: readonly Installer[] = [
  node("pnpm-lock.yaml", "pnpm install --frozen-lockfile --offline", "pnpm install --frozen-lockfile"),
  node("yarn.lock", "yarn install --immutable", "yarn install --frozen-lockfile"),
  node("bun.lock", BUN),
  node("bun.lockb", BUN),
  node("package-lock.json", ...NPM),
  node("npm-shrinkwrap.json", ...NPM),
  { lock: "uv.lock", commands: ["uv sync --frozen --offline", "uv sync --frozen"], folders: [".venv"] },
  { lock: "Cargo.lock", commands: ["cargo fetch --locked --offline", "cargo fetch --locked"], folders: [] },
  {
    lock: "go.sum",
    // `go mod download` asks for more than a build had to fetch: whether there is enough, the packages say.
    title: "look for the modules of go.sum",
    commands: [
      "go version && ! GOPROXY=off go list -e -deps -test -f '{{with .Error}}{{.Err}}{{end}}' ./... 2>&1 | grep -q GOPROXY=off",
      "go mod download",
    ],
    folders: [],
  },
];

/**
 * Where tools keep what they downloaded, below one folder. In a sandbox the user's own caches are only read, and
 * what is needed from the network goes into the room.
 */
export const cacheEnvironment = (folder: string): Record<string, string> => ({
  npm_config_cache: join(folder, "npm"),
  npm_config_store_dir: join(folder, "pnpm"),
  YARN_CACHE_FOLDER: join(folder, "yarn"),
  YARN_GLOBAL_FOLDER: join(folder, "yarn-global"),
  BUN_INSTALL_CACHE_DIR: join(folder, "bun"),
  UV_CACHE_DIR: join(folder, "uv"),
  PIP_CACHE_DIR: join(folder, "pip"),
});

/** The same for tools that build from where they downloaded to. */
export const storeEnvironment = (folder: string): Record<string, string> => ({
  CARGO_HOME: join(folder, "cargo"),
  GOMODCACHE: join(folder, "go"),
});

/** A lock file of npm that names no package at all. */
const isEmptyLock = (path: string): boolean => {
  try {
    const { packages } = JSON.parse(readFileSync(path, "utf8")) as { packages?: Record<string, unknown> };
    return packages !== undefined && Object.keys(packages).every((name) => name === "");
  } catch {
    return false;
  }
};

/** All that a lock file names lies in the tree; Go takes what is vendored by itself. */
const needsNothing = (folder: string, lock: string): boolean =>
  lock === "go.sum" ? existsSync(join(folder, "vendor", "modules.txt")) : isEmptyLock(join(folder, lock));

/** What has to be installed in a folder, by its lock files; one for each language. */
export const findInstallers = (folder: string): Installer[] => {
  const there = INSTALLERS.filter(({ lock }) => existsSync(join(folder, lock)));
  const found: Installer[] = [];
  for (const installer of there) {
    const isSecond = found.some(
      ({ folders }) => folders[0] !== undefined && folders[0] === installer.folders[0],
    );
    if (!isSecond && !needsNothing(folder, installer.lock)) found.push(installer);
  }
  return found;
};
