import { systemClock } from "../../../core/clock.ts";
import { workersHome } from "../../../core/paths.ts";
import { type Stopped, stopWorker } from "../../../worker/loop/stop-worker.ts";
import { resolveName } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";

/** "docs: running -> stopped (stopped by request)" */
export const stoppedText = ({ name, before, after, reason }: Stopped): string =>
  `${name}: ${before === after ? "" : `${before} -> `}${after}${reason ? ` (${reason})` : ""}`;

export const stop = defineCommand({
  description:
    "What is running then (a tool, gates, the agent's handoff) has limits.handoffMinutes (3) before it is ended.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: { now: { type: "boolean", description: "End it at once, without a handoff from the agent" } },
  examples: ["worker stop docs", "worker stop docs --now"],
  run: async ({ args, options }, { env, cwd, reporter, signal }) => {
    const home = workersHome(env);
    const name = resolveName({ home, cwd }, args.name);
    reporter.note(options.now ? `ending ${name} …` : `stopping ${name}; its agent is asked for a handoff …`);
    const stopped = await stopWorker(
      { clock: systemClock, home, signal, onWait: reporter.note },
      { name, isNow: options.now },
    );
    reporter.answer(stopped, stoppedText(stopped));
  },
});
