import { dirname } from "node:path";
import { cosmiconfig } from "cosmiconfig";
import { AppError, errorText } from "../errors.ts";
import { readFileIfThere } from "../read-file.ts";
import { listFaults } from "./config-faults.ts";
import type { AgentConfig } from "./agent-config.ts";
import { ConfigSchema } from "./config-schema.ts";
import { loadJson, loadModule } from "./config-loader.ts";
import { type CodeDecision, mayRun } from "./code-decision.ts";
import { findConfigFile, findProjectRoot } from "./find-config.ts";

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

const assertReadable = (path: string): void => {
  try {
    readFileIfThere(path); // a FIFO of that name would hold whatever opens it, for ever
  } catch (error) {
    throw new AppError("config", `cannot read ${path}: ${errorText(error)}`, { cause: error });
  }
};

const explorer = () =>
  cosmiconfig("agent", {
    cache: false,
    loaders: {
      ".json": loadJson,
      ".ts": loadModule,
      ".mts": loadModule,
      ".js": loadModule,
      ".mjs": loadModule,
    },
  });

/**
 * Finds and loads the config: `agent.config.{ts,mts,js,mjs,json,yaml,yml}` or `package.json#agent`, from
 * `cwd` up to the project root. No file is no error: every command works without one. A config that is code
 * runs only as the decision says.
 * @throws AppError `config` (exit 78) when the file cannot be read or may not run, or with all its faults
 */
export const loadConfig = async (cwd: string, decision: CodeDecision): Promise<LoadedConfig> => {
  const root = findProjectRoot(cwd);
  const path = findConfigFile(cwd);
  if (path === undefined) return { config: {}, path, root };
  assertReadable(path);
  if (!(await mayRun(decision, { root, entries: [path] })))
    return { config: {}, path: undefined, root: dirname(path) };
  let found: { config: unknown; isEmpty?: boolean } | null;
  try {
    found = await explorer().load(path);
  } catch (error) {
    throw new AppError("config", `cannot read ${path}: ${errorText(error)}`, { cause: error });
  }
  const config = validateConfig(found === null || found.isEmpty ? {} : found.config, path);
  return { config, path, root: dirname(path) };
};
