import { systemClock } from "../../../core/clock.ts";
import { AppError, errorText } from "../../../core/errors.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { ERROR_CODES } from "../../../core/error-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { type Stopped, stopWorker } from "../../../worker/loop/stop-worker.ts";
import { ACTIVE } from "../../../worker/state/worker-state.ts";
import { listWorkers } from "../../../worker/state/worker-store.ts";
import { resolveName } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";

/** "docs: running -> stopped (stopped by request)" */
const stoppedText = ({ name, before, after, reason }: Stopped): string =>
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

const line = (answer: Stopped | { name: string | undefined; error: string }): string =>
  "error" in answer ? `${answer.name}: ${answer.error}` : stoppedText(answer);

export const stopAll = defineCommand({
  options: { now: { type: "boolean", description: "End them at once, without handoffs" } },
  examples: ["worker stop-all", "worker stop-all --now"],
  run: async ({ options }, { env, reporter, signal }) => {
    const home = workersHome(env);
    const active = listWorkers(home).workers.filter((worker) => ACTIVE.includes(worker.recordedStatus));
    if (active.length > 0) reporter.note(`stopping ${active.map((worker) => worker.name).join(", ")} …`);
    const results = await Promise.allSettled(
      active.map(({ name }) =>
        stopWorker({ clock: systemClock, home, signal }, { name, isNow: options.now }),
      ),
    );
    // One that cannot be stopped hides nothing of the others.
    const answers = results.map((result, index) =>
      result.status === "fulfilled"
        ? result.value
        : { name: active[index]?.name, error: errorText(result.reason) },
    );
    const failure = results.find((result) => result.status === "rejected")?.reason as unknown;
    reporter.answer(answers, active.length === 0 ? "no worker is running" : answers.map(line));
    if (failure === undefined) return true;
    return failure instanceof AppError ? ERROR_CODES[failure.code].exit : EXIT.internal;
  },
});
