import { systemClock } from "../../../core/clock.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { stopWorker } from "../../../worker/loop/stop-worker.ts";
import { defineCommand } from "../../command/define-command.ts";

export const stop = defineCommand({
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: { now: { type: "boolean", description: "End it at once, without a handoff from the agent" } },
  json: "document",
  examples: ["worker stop docs", "worker stop docs --now"],
  run: async ({ args, options }, { env, reporter, signal }) => {
    const home = workersHome(env);
    reporter.note(
      options.now ? `ending ${args.name} …` : `stopping ${args.name}; its agent is asked for a handoff …`,
    );
    const stopped = await stopWorker(
      { clock: systemClock, home, signal },
      { name: args.name, isNow: options.now },
    );
    reporter.answer(
      stopped,
      `${stopped.name}: ${stopped.before} -> ${stopped.after}${stopped.reason ? ` (${stopped.reason})` : ""}`,
    );
    return EXIT.yes;
  },
});
