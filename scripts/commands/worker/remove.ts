import { rmSync } from "node:fs";
import { AppError } from "../../../core/errors.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { isAlive } from "../../../core/process-identity.ts";
import { workerFiles } from "../../../tasks/worker/worker-files.ts";
import { getWorker } from "../../../tasks/worker/worker-store.ts";
import { defineCommand } from "../../command/define-command.ts";

const ROTATED = ["", ".1", ".2", ".3"];

export const remove = defineCommand({
  name: "worker remove",
  summary: "Forget a worker that has ended: its state, log, events and handoffs",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: {},
  json: "document",
  run: async ({ args }, { env, reporter }) => {
    const home = workersHome(env);
    const worker = getWorker(home, args.name);
    if (isAlive(worker.supervisor))
      throw new AppError(
        "locked",
        `worker ${worker.name} is ${worker.shown}; stop it first: worker stop ${worker.name}`,
      );
    const files = workerFiles(home, worker.name);
    for (const path of [files.log, files.events].flatMap((file) => ROTATED.map((ending) => file + ending)))
      rmSync(path, { force: true });
    rmSync(files.folder, { recursive: true, force: true });
    rmSync(files.state, { force: true }); // last: until here the worker is still listed
    reporter.answer({ name: worker.name, removed: true }, `${worker.name} is forgotten`);
    return EXIT.yes;
  },
});
