import { basename } from "node:path";
import type { WorkerState } from "./worker-state.ts";

/** The project a worker works on, as the memory service knows it: the folder's name, of the repository behind a worktree. */
export const projectName = ({ dir, worktree }: Pick<WorkerState, "dir" | "worktree">): string =>
  basename(worktree?.repository ?? dir);
