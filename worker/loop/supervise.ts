import { AppError } from "../../core/errors.ts";
import { tryLock } from "../../core/file-lock.ts";
import { createGit } from "../../core/git.ts";
import { lockDirectory, lockFolder } from "./directory-lock.ts";
import type { StartRequest } from "./start-request.ts";
import { Supervisor, type SupervisorPorts } from "./supervisor.ts";
import { workerFiles } from "../state/worker-files.ts";
import type { WorkerState } from "../state/worker-state.ts";
import { ensureWorktree } from "../session/worktree.ts";

/**
 * Runs a worker to its end in this process: takes the locks, takes over what a dead predecessor left, and
 * runs session after session until the loop decides that it is over. Returns the final state.
 * @throws AppError `locked` when the worker or the directory is held by a live process
 */
export const supervise = async (ports: SupervisorPorts, request: StartRequest): Promise<WorkerState> => {
  const files = workerFiles(ports.home, request.name);
  const { lock, holder } = tryLock(files.supervisorLock, { label: `worker "${request.name}"` });
  if (!lock)
    throw new AppError(
      "locked",
      `worker ${request.name} is already running (pid ${holder.pid}, since ${holder.since}); stop it with: worker stop ${request.name}`,
      { details: { holder } },
    );
  try {
    if (request.worktree) await ensureWorktree(ports.env, request.worktree, request.dir);
    const git = createGit(request.dir, ports.env);
    const directory = lockDirectory(await lockFolder(git, request.dir), {
      dir: request.dir,
      worker: request.name,
      isShared: request.isShared,
    });
    try {
      return await new Supervisor(ports, request).run();
    } finally {
      directory.release();
    }
  } finally {
    lock.release();
  }
};
