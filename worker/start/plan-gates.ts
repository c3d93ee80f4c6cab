import { existsSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { findProjectRoot } from "../../core/config/find-config.ts";
import type { LoadedConfig } from "../../core/config/load-config.ts";
import { isWithin } from "../../core/is-within.ts";
import type { ProjectGates } from "../session/project-gates.ts";
import type { WorkerState } from "../state/worker-state.ts";

/**
 * Which gates judge a worker that has no gates/health.sh, and where: in the config's folder, as `nightshift gate`
 * does, where that is a folder of the same project; else in the worker's own project. In a worktree it is the
 * same folder of that.
 */
export const planGates = (
  { config, root }: Pick<LoadedConfig, "config" | "root">,
  { dir, worktree }: { dir: string; worktree?: WorkerState["worktree"] },
): ProjectGates => {
  const declared = config.gates ?? {};
  const origin = worktree ? join(worktree.repository, relative(worktree.path, dir)) : dir;
  const project = worktree ? worktree.repository : findProjectRoot(dir);
  const folder = existsSync(root) ? realpathSync(root) : root;
  const isSame = isWithin(folder, project) && isWithin(origin, folder);
  const where = isSame ? folder : project;
  return { declared, root: worktree ? join(worktree.path, relative(worktree.repository, where)) : where };
};
