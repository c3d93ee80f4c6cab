import { systemClock } from "../../../core/clock.ts";
import { AppError, errorText } from "../../../core/errors.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { ERROR_CODES } from "../../../core/error-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { type Stopped, stopWorker } from "../../../worker/loop/stop-worker.ts";
import { ACTIVE } from "../../../worker/state/worker-state.ts";
import { listWorkers } from "../../../worker/state/worker-store.ts";
import { defineCommand } from "../../command/define-command.ts";
import { stoppedText } from "./stop.ts";

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
