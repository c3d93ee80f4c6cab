import { createGit, type Git } from "../../../core/git.ts";
import { realFolder, workersHome } from "../../../core/paths.ts";
import { findState } from "../../../worker/state/worker-store.ts";
import type { CommandIo } from "../../command/define-command.ts";

/** The repository of a worker: its own directory, else (a removed worker) the one named or the current one. */
export const gitOfWorker = (
  { env, cwd }: Pick<CommandIo, "env" | "cwd">,
  { name, dir }: { name: string; dir: string | undefined },
): Git => {
  const known = dir === undefined ? findState(workersHome(env), name)?.dir : undefined;
  return createGit(realFolder(dir ?? known ?? ".", cwd), env);
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
