import { isAlive } from "../../core/process-identity.ts";
import { removeWorkerFiles } from "../../worker/state/remove-files.ts";
import { endLeftovers } from "../../worker/loop/stop-worker.ts";
import { listWorkers } from "../../worker/state/worker-store.ts";
import type { PoolPorts } from "./pool-ports.ts";

/** Ends what a killed pool of this machine and its killed supervisors left running; told by the sessions' marks. */
export const endOldRuns = async (
  { clock, workersHome, tell }: Pick<PoolPorts, "clock" | "workersHome" | "tell">,
  host: string,
): Promise<void> => {
  for (const worker of listWorkers(workersHome).workers) {
    if (worker.lease?.host !== host || worker.shown !== "crashed") continue;
    await endLeftovers(worker, clock);
    tell({
      type: "problem",
      task: worker.lease.task,
      worker: worker.name,
      message: "its supervisor was killed; what it left running is ended, the task comes back by itself",
    });
  }
};

const KEPT_MS = 7 * 86_400_000;

/** Forgets runs that ended a week ago: their tasks have told the queue what there is to tell. */
export const forgetOldRuns = ({ clock, workersHome }: Pick<PoolPorts, "clock" | "workersHome">): void => {
  for (const { name, lease, endedAt, supervisor, worktree } of listWorkers(workersHome).workers)
    if (
      lease !== undefined &&
      worktree === undefined &&
      endedAt !== undefined &&
      clock.now() - Date.parse(endedAt) > KEPT_MS &&
      !isAlive(supervisor)
    )
      removeWorkerFiles(workersHome, name);
};
