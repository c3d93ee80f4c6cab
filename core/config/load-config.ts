import { closeSync } from "node:fs";
import { dirname, join } from "node:path";
import { cosmiconfig } from "cosmiconfig";
import { AppError, errorText } from "../errors.ts";
import { openToRead, readFileIfThere } from "../read-file.ts";
import { listFaults } from "./config-faults.ts";
import type { AgentConfig } from "./agent-config.ts";
import { ConfigSchema } from "./config-schema.ts";
import { loadJson, loadModule } from "./config-loader.ts";
import { CONFIG_NAMES, findConfigFile, findProjectRoot, listConfigPlaces } from "./find-config.ts";

/** A validated config with the place it came from; without a file, `path` is undefined and the config empty. */
export type LoadedConfig = { config: AgentConfig; path: string | undefined; root: string };

/** Throws one `AppError` `config` with every fault of the value, or returns it typed. */
export const validateConfig = (value: unknown, source: string): AgentConfig => {
  const faults = listFaults(ConfigSchema, value);
  if (faults.length === 0) return value as AgentConfig;
  const list = faults.map(({ path, message }) => `  ${path}: ${message}`).join("\n");
  throw new AppError(
    "config",
    `${source} has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${list}`,
    {
      faults,
    },
  );
};

const unreadable = (path: string, error: unknown): AppError =>
  new AppError("config", `cannot read ${path}: ${errorText(error)}`, { cause: error });

const assertReadable = (path: string): void => {
  try {
    readFileIfThere(path);
  } catch (error) {
    throw unreadable(path, error);
  }
};

/** cosmiconfig opens whatever has the name: a FIFO would hold it, and the whole process, for ever. */
const assertNoneWaits = (cwd: string): void => {
  for (const path of listConfigPlaces(cwd)) {
    try {
      closeSync(openToRead(path));
    } catch (error) {
      // Most are not there; one that is closed to us is judged below.
      if (error instanceof AppError) throw unreadable(path, error);
    }
  }
};

/**
 * Finds and loads the config: `agent.config.{ts,mts,js,mjs,json,yaml,yml}` or `package.json#agent`, from
 * `cwd` up to the project root. No file is no error: every command works without one.
 * @throws AppError `config` (exit 78) when the file cannot be read, or with all its faults
 */
export const loadConfig = async (cwd: string): Promise<LoadedConfig> => {
  const root = findProjectRoot(cwd);
  assertNoneWaits(cwd);
  const explorer = cosmiconfig("agent", {
    searchPlaces: [...CONFIG_NAMES, "package.json"],
    searchStrategy: "global",
    stopDir: dirname(root),
    cache: false,
    loaders: {
      ".json": loadJson,
      ".ts": loadModule,
      ".mts": loadModule,
      ".js": loadModule,
      ".mjs": loadModule,
    },
  });
  let found: { config: unknown; filepath: string; isEmpty?: boolean } | null = null;
  try {
    found = await explorer.search(cwd);
  } catch (error) {
    const path = (error as { filepath?: string }).filepath;
    throw new AppError("config", `cannot read ${path ?? `the config of ${root}`}: ${errorText(error)}`, {
      cause: error,
    });
  }
  // What cosmiconfig may not read it takes for not there: then every gate of it would be gone unsaid.
  const declared = findConfigFile(cwd);
  if (declared !== undefined && declared !== found?.filepath) assertReadable(declared);
  const isInside =
    found !== null &&
    (dirname(found.filepath) === root || dirname(found.filepath).startsWith(join(root, "/")));
  if (!found || !isInside) return { config: {}, path: undefined, root };
  const config = validateConfig(found.isEmpty ? {} : found.config, found.filepath);
  return { config, path: found.filepath, root: dirname(found.filepath) };
};
