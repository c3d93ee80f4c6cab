import { endLeftovers } from "../../tasks/worker/stop-worker.ts";
import { listWorkers } from "../../tasks/worker/worker-store.ts";
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
