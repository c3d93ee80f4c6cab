import { basename, join, relative } from "node:path";
import type { WorkerState } from "./worker-state.ts";

/** The directory that a worker was started for: for one with a worktree the same folder of its repository. */
export const placeOf = ({
  dir,
  worktree,
}: Pick<WorkerState, "dir"> & { worktree?: WorkerState["worktree"] | undefined }): string =>
  worktree ? join(worktree.repository, relative(worktree.path, dir)) : dir;

/** What the folder of a place is called in names. */
export const folderName = (place: string): string => {
  const name = basename(place)
    .replaceAll(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, 60);
  return /^[A-Za-z0-9]/.test(name) ? name : `dir${name}`;
};
