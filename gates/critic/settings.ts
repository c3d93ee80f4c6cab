import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findConfigFile } from "../../core/config/find-config.ts";
import type { Environment } from "../../core/paths.ts";
import type { CriticSettings } from "./critic-settings.ts";

const NONE: CriticSettings = { patterns: [], stopAt: "HIGH", disable: [], allow: [], log: undefined };
const FORMAT = 4;

const IMPORTS = /(?:from|import|require)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g;

/**
 * The config and every file of the project that it imports: what the compiled settings hang on. The texts
 * themselves, which are short.
 */
const keyOf = (config: string): string => {
  let key = `${FORMAT}\n`;
  const seen = new Set<string>();
  const visit = (path: string): void => {
    const file = [path, `${path}.ts`, `${path}.js`].find((candidate) => existsSync(candidate));
    if (file === undefined || seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    key += `${file}\n${text}\n`;
    for (const [, specifier = ""] of text.matchAll(IMPORTS)) visit(resolve(dirname(file), specifier));
  };
  visit(config);
  return key;
};

const readCache = (path: string, key: string): CriticSettings | undefined => {
  try {
    const cached = JSON.parse(readFileSync(path, "utf8")) as { key?: string; settings?: CriticSettings };
    return cached.key === key && cached.settings ? { ...NONE, ...cached.settings } : undefined;
  } catch {
    return undefined; // none yet, or unreadable: it is made again from the config
  }
};

const writeCache = (path: string, key: string, settings: CriticSettings): void => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, JSON.stringify({ key, settings }), { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    // A read-only home: the config is compiled each time, slower and no less right.
  }
};

/**
 * The compiled copy of a project, by its real path. It lies with the user and not in the project: a repository, or
 * an agent at work in it, could bring along one that says nothing is to be judged.
 */
const cachePath = (userFolder: string, config: string): string =>
  join(userFolder, "cache", "critic", realpathSync(dirname(config)), "settings.json");

const withLog = async (
  settings: CriticSettings,
  places: { root: string; userFolder: string },
): Promise<CriticSettings> => {
  if (settings.log === undefined) return settings;
  const { getLogPath } = await import("./decision-log.ts");
  return { ...settings, log: getLogPath(settings.log, places) };
};

/**
 * The critic's settings of the project that `cwd` lies in, from the compiled copy in the user's folder when
 * the config still says the same. This is the one place where the critic reads a project's config.
 * @throws AppError `config` with every fault of the config
 */
export const loadCriticSettings = async ({
  cwd,
  env,
  userFolder,
}: {
  cwd: string;
  env: Environment;
  userFolder: string;
}): Promise<CriticSettings> => {
  const found = findConfigFile(cwd);
  if (found === undefined) return NONE;
  const root = dirname(found);
  const cache = cachePath(userFolder, found);
  const key = keyOf(found);
  const cached = readCache(cache, key);
  if (cached) return withLog(cached, { root, userFolder });
  // TypeBox, cosmiconfig and jiti cost ten times what judging costs: only a changed config pays for them.
  const { compileCriticSettings } = await import("./compile-settings.ts");
  const settings = await compileCriticSettings(root, env);
  writeCache(cache, key, settings);
  return withLog(settings, { root, userFolder });
};

/** The settings when the config cannot be used: the built-in rules alone. */
export const BUILT_IN_ONLY = NONE;
