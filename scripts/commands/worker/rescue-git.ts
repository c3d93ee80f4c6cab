import { AppError } from "../../../core/errors.ts";
import { createGit, type Git } from "../../../core/git.ts";
import { realFolder, workersHome } from "../../../core/paths.ts";
import { resolveName } from "../../../worker/state/resolve-name.ts";
import { findState } from "../../../worker/state/worker-store.ts";
import type { CommandIo } from "../../command/define-command.ts";

/** A removed worker is nowhere on record: its name is taken as it was given. */
const fullName = (place: { home: string; cwd: string }, given: string): string => {
  try {
    return resolveName(place, given);
  } catch (error) {
    if (error instanceof AppError && error.code === "not-found") return given;
    throw error;
  }
};

/** A worker's whole name and repository: its own directory, else (a removed worker) the one named or the current one. */
export const findRescuePlace = (
  { env, cwd }: Pick<CommandIo, "env" | "cwd">,
  { name: given, dir }: { name: string; dir: string | undefined },
): { git: Git; name: string } => {
  const home = workersHome(env);
  const name = fullName({ home, cwd: dir === undefined ? cwd : realFolder(dir, cwd) }, given);
  const known = dir === undefined ? findState(home, name)?.dir : undefined;
  return { git: createGit(realFolder(dir ?? known ?? ".", cwd), env), name };
};

export const RESCUE_DIR = {
  type: "string",
  placeholder: "path",
  complete: "folder",
  description: "Repository to look in (default: the worker's directory; for a removed worker: here)",
} as const;

export const RESCUE_NUMBER = {
  name: "number",
  description: "Number of the rescue (default: the last one)",
  type: "integer",
  minimum: 1,
  isOptional: true,
} as const;
