import { AppError } from "../../../core/errors.ts";
import { workersHome } from "../../../core/paths.ts";
import { withoutUndefined } from "../../../core/without-undefined.ts";
import { checkInstruction } from "../../../worker/start/check-instruction.ts";
import { sendControl } from "../../../worker/state/control.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";

import { isSupervised } from "../../../worker/state/worker-store.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";

export const adjust = defineCommand({
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: {
    max: {
      type: "integer",
      minimum: 1,
      maximum: 10_000,
      placeholder: "sessions",
      description: "Maximum number of sessions",
    },
    task: { type: "string", description: "Instruction from the next session on" },
    model: { type: "string", placeholder: "name", description: "Model from the next session on" },
  },
  examples: ["worker adjust docs --max 20"],
  run: async ({ args, options }, { env, cwd, reporter }) => {
    const { max, task, model } = options;
    const instruction = task === undefined ? undefined : checkInstruction(task);
    const change = withoutUndefined({ max, task: instruction, model });
    if (Object.keys(change).length === 0)
      throw new AppError("usage", "nothing to adjust; pass --max, --task or --model");
    const home = workersHome(env);
    const worker = getNamedWorker({ home, cwd }, args.name);
    if (!isSupervised(home, worker))
      throw new AppError(
        "conflict",
        `worker ${worker.name} is ${worker.status}, not running; resume it with: worker resume ${worker.name}`,
      );
    sendControl(workerFiles(home, worker.name).control, { type: "adjust", ...change });
    reporter.answer(
      { name: worker.name, ...change },
      `${worker.name}: ${Object.keys(change).join(", ")} changed for the next session`,
    );
  },
});
