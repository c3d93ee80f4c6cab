import { systemClock } from "../../../core/clock.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { stopWorker } from "../../../tasks/worker/stop-worker.ts";
import { ACTIVE } from "../../../tasks/worker/worker-state.ts";
import { listWorkers } from "../../../tasks/worker/worker-store.ts";
import { defineCommand } from "../../command/define-command.ts";

export const stopAll = defineCommand({
  name: "worker stop-all",
  summary: "Stop every worker, all at the same time",
  args: [],
  options: { now: { type: "boolean", description: "End them at once, without handoffs" } },
  json: "document",
  run: async ({ options }, { env, reporter, signal }) => {
    const home = workersHome(env);
    const active = listWorkers(home).workers.filter((worker) => ACTIVE.includes(worker.status));
    if (active.length > 0) reporter.note(`stopping ${active.map((worker) => worker.name).join(", ")} …`);
    const stopped = await Promise.all(
      active.map(({ name }) =>
        stopWorker({ clock: systemClock, home, signal }, { name, isNow: options.now }),
      ),
    );
    reporter.answer(
      stopped,
      stopped.length === 0
        ? "no worker is running"
        : stopped.map(
            ({ name, before, after, reason }) =>
              `${name}: ${before} -> ${after}${reason ? ` (${reason})` : ""}`,
          ),
    );
    return EXIT.yes;
  },
});
