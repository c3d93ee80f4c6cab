import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { AppError } from "./errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The user's home: `HOME` first, so that a throw-away home is honoured on every runtime. */
export const homeFolder = (env: Environment): string => env["HOME"] || homedir();

/** Where workers keep state, logs and handoffs: `WORKERS_HOME`, else `~/.workers`. */
export const workersHome = (env: Environment): string =>
  env["WORKERS_HOME"] || join(homeFolder(env), ".workers");

/** Where the server keeps its data and its tokens: `NIGHTSHIFT_HOME`, else `~/.nightshift`. */
export const nightshiftHome = (env: Environment): string =>
  env["NIGHTSHIFT_HOME"] || join(homeFolder(env), ".nightshift");

/** `~` and `~/x` as the shell would read them; everything else as it is. */
export const expandHome = (path: string, env: Environment): string =>
  path === "~" ? homeFolder(env) : path.startsWith("~/") ? join(homeFolder(env), path.slice(2)) : path;

/**
 * The real path of an existing folder, links resolved: two names of one folder are one folder.
 * @throws AppError `not-found` that names the folder
 */
export const realFolder = (path: string, cwd: string): string => {
  const full = resolve(cwd, path);
  try {
    return realpathSync(full);
  } catch (error) {
    throw new AppError("not-found", `folder ${full} does not exist; make it or pass another one`, {
      cause: error,
    });
  }
};
