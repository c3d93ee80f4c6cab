import type { Clock } from "../core/clock.ts";
import { endLeftovers } from "../worker/loop/stop-worker.ts";
import { listWorkers } from "../worker/state/worker-store.ts";
import type { Tell } from "./pool-ports.ts";

/** Ends what a killed pool of this machine and its killed supervisors left running; told by the sessions' marks. */
export const endOldRuns = async (
  { clock, workersHome, tell }: { clock: Clock; workersHome: string; tell: Tell },
  host: string,
): Promise<void> => {
  for (const worker of listWorkers(workersHome).workers) {
    if (worker.lease?.host !== host || worker.shown !== "crashed") continue;
    await endLeftovers(worker, clock);
    tell({
      type: "problem",
      task: worker.lease.task,
      worker: worker.name,
      message:
        "its supervisor was killed; its leftover processes were ended, and the task will be offered again",
    });
  }
};
