import { accessSync, constants, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { AppError } from "./errors.ts";

const inside = (folder: string, name: string): string =>
  folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The user's home: `HOME` first, so that a throw-away home is honoured on every runtime. */
export const homeFolder = (env: Environment): string => env["HOME"] || homedir();

/** Where workers keep state, logs and handoffs: `WORKERS_HOME`, else `~/.workers`. */
export const workersHome = (env: Environment): string =>
  env["WORKERS_HOME"] || inside(homeFolder(env), ".workers");

/** Where the server keeps its data and its tokens: `NIGHTSHIFT_HOME`, else `~/.nightshift`. */
export const nightshiftHome = (env: Environment, home?: string): string =>
  env["NIGHTSHIFT_HOME"] || inside(home ?? homeFolder(env), ".nightshift");

/** `~` and `~/x` as the shell would read them; everything else as it is. */
export const expandHome = (given: string, env: Environment): string =>
  given === "~" ? homeFolder(env) : given.startsWith("~/") ? inside(homeFolder(env), given.slice(2)) : given;

/**
 * The real path of an existing folder, links resolved: two names of one folder are one folder.
 * @throws AppError `not-found` that names the folder
 */
export const realFolder = (given: string, cwd: string): string => {
  const full = resolve(cwd, given);
  try {
    return realpathSync(full);
  } catch (error) {
    throw new AppError("not-found", `folder ${full} does not exist; make it or pass another one`, {
      cause: error,
    });
  }
};

/** The real path of what is there; of what is not, the path as it was given. */
export const realPath = (given: string): string => {
  try {
    return realpathSync(given);
  } catch {
    return given;
  }
};

export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
