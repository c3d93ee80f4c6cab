import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SandboxNeeds } from "../agents/sandbox-needs.ts";
import type { Environment } from "../core/paths.ts";
import { readFileIfThere } from "../core/read-file.ts";

const NPM = ["registry.npmjs.org", "registry.yarnpkg.com", "npm.jsr.io"];
const PYTHON = ["pypi.org", "files.pythonhosted.org"];

/**
 * Registries by the files that say a project uses them. Only these: whoever works in the tree can write there whatever
 * host it likes into a lock file.
 */
const REGISTRIES: Readonly<Record<string, readonly string[]>> = {
  "package-lock.json": NPM,
  "npm-shrinkwrap.json": NPM,
  "yarn.lock": NPM,
  "pnpm-lock.yaml": NPM,
  "bun.lock": NPM,
  "bun.lockb": NPM,
  "deno.lock": ["deno.land", "jsr.io", ...NPM],
  "poetry.lock": PYTHON,
  "uv.lock": PYTHON,
  "pdm.lock": PYTHON,
  "Pipfile.lock": PYTHON,
  "requirements.txt": PYTHON,
  "Cargo.lock": ["index.crates.io", "static.crates.io", "crates.io"],
  "go.sum": ["proxy.golang.org", "sum.golang.org"],
  "Gemfile.lock": ["rubygems.org", "index.rubygems.org"],
  "composer.lock": ["repo.packagist.org", "packagist.org"],
  "mix.lock": ["hex.pm", "repo.hex.pm"],
  "pubspec.lock": ["pub.dev"],
  "packages.lock.json": ["api.nuget.org"],
  "gradle.lockfile": ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org"],
  "pom.xml": ["repo.maven.apache.org", "repo1.maven.org"],
};

/** The registries of the lock files at the top of a project and in the folder of the work. */
export const registryHosts = (folders: readonly string[]): string[] => [
  ...new Set(
    folders.flatMap((folder) =>
      Object.entries(REGISTRIES).flatMap(([file, hosts]) => (existsSync(join(folder, file)) ? hosts : [])),
    ),
  ),
];

/** An address as an entry of the allow list; undefined for what is none. */
export const hostOf = (address: string | undefined): string | undefined => {
  if (address === undefined || !/^https?:\/\//i.test(address)) return undefined;
  try {
    const { host, port, protocol } = new URL(address);
    return port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
  } catch {
    return undefined;
  }
};

const NAMED_ADDRESS = /\b(?:base_?url|api_?base|endpoint)"?\s*[:=]\s*["'](https?:\/\/[^"'\s]+)/gi;

/** The hosts of an agent's model: its own, and those that the user has put into its variables and settings. */
export const modelHosts = (
  needs: Pick<SandboxNeeds, "hosts">,
  { env, settings }: { env: Environment; settings: readonly string[] },
): string[] => {
  const named = settings.flatMap((file) =>
    [...(readFileIfThere(file) ?? "").matchAll(NAMED_ADDRESS)].map(([, address]) => hostOf(address)),
  );
  const told = Object.values(env).map(hostOf);
  return [...new Set([...needs.hosts, ...[...named, ...told].filter((host) => host !== undefined)])];
};
