import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../core/errors.ts";
import { readHost } from "./allow-list.ts";

const NPM = ["registry.npmjs.org"];
const YARN = ["registry.yarnpkg.com", "registry.npmjs.org", "repo.yarnpkg.com"];
const PYPI = ["pypi.org", "files.pythonhosted.org"];
const COMPOSER = ["repo.packagist.org", "packagist.org"];

/** The files that pin what a project installs, and the public registries that their tools ask. */
const LOCK_FILES: Record<string, readonly string[]> = {
  "package-lock.json": NPM,
  "npm-shrinkwrap.json": NPM,
  "pnpm-lock.yaml": NPM,
  "yarn.lock": YARN,
  "bun.lock": NPM,
  "bun.lockb": NPM,
  "deno.lock": [...NPM, "jsr.io", "npm.jsr.io", "deno.land"],
  "uv.lock": PYPI,
  "poetry.lock": PYPI,
  "pdm.lock": PYPI,
  "Pipfile.lock": PYPI,
  "requirements.txt": PYPI,
  "Cargo.lock": ["index.crates.io", "static.crates.io", "crates.io"],
  "go.sum": ["proxy.golang.org", "sum.golang.org"],
  "Gemfile.lock": ["rubygems.org", "index.rubygems.org"],
  "composer.lock": COMPOSER,
  "mix.lock": ["repo.hex.pm", "builds.hex.pm"],
  "pubspec.lock": ["pub.dev"],
  "packages.lock.json": ["api.nuget.org"],
  "gradle.lockfile": ["repo.maven.apache.org", "plugins.gradle.org", "services.gradle.org"],
};

const KNOWN = new Set(Object.values(LOCK_FILES).flat());
const MAX_BYTES = 32 * 1024 * 1024;
const ADDRESS = /\b(?:git\+)?(?:sparse\+)?(?:https?|ssh):\/\/(?:[^\s"'/@]*@)?([^\s"'/:?#<>()[\]{},\\]+)/g;
/** In npm's files only this is downloaded; the rest is told about a package (funding, home page). */
const RESOLVED = /"resolved":\s*"[^"]*"/g;

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8").slice(0, MAX_BYTES);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EISDIR", "EACCES"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
};

/**
 * The hosts that a project's lock files download from. `known` are the public registries of the tools that wrote
 * the files. `others` are named in them, too (a registry of one's own, a git host): a session can write into these
 * files, so they are shown and not let through until `network.allow` names them.
 */
export const listRegistryHosts = (dir: string): { known: string[]; others: string[] } => {
  const known = new Set<string>();
  const others = new Set<string>();
  for (const [name, hosts] of Object.entries(LOCK_FILES)) {
    const text = read(join(dir, name));
    if (text === undefined) continue;
    for (const host of hosts) known.add(host);
    const isNpm = LOCK_FILES[name] === NPM && name.endsWith(".json");
    const pinned = isNpm ? (text.match(RESOLVED) ?? []).join("\n") : text;
    for (const [, found = ""] of pinned.matchAll(ADDRESS)) {
      const host = readHost(found);
      if (host !== undefined) (KNOWN.has(host) ? known : others).add(host);
    }
  }
  return { known: [...known].sort(), others: [...others].filter((host) => !known.has(host)).sort() };
};
