import { plural } from "../../../core/plural.ts";
import { AppError } from "../../../core/errors.ts";
import { workersHome } from "../../../core/paths.ts";
import { agreeToSandbox } from "../../../worker/start/agree-to-sandbox.ts";
import { refuseFatal } from "../../../worker/start/check-start.ts";
import { planResume } from "../../../worker/start/plan-start.ts";
import { spawnSupervisor } from "../../../worker/start/spawn-supervisor.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";

import { isSupervised, toListed } from "../../../worker/state/worker-store.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";
import { askForTrust, loadTrustedConfig } from "../../command/read-config.ts";
import { runInForeground } from "./foreground.ts";
import { tellStartChecks } from "./start-checks.ts";

export const resume = defineCommand({
  description:
    "It goes on from its last handoff, with its session count, costs and limits. Where all sessions are used up, ten more are allowed unless --max says otherwise.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: {
    max: {
      type: "integer",
      minimum: 1,
      maximum: 10_000,
      placeholder: "sessions",
      description: "Maximum number of sessions in all",
    },
    foreground: { type: "boolean", description: "Supervise in this terminal, with a live view" },
  },
  examples: ["worker resume docs", "worker resume docs --max 20"],
  run: async ({ args, options }, io) => {
    const { env, cwd, reporter } = io;
    const home = workersHome(env);
    const worker = getNamedWorker({ home, cwd }, args.name);
    if (isSupervised(home, worker))
      throw new AppError(
        "locked",
        `worker ${worker.name} is running (pid ${worker.supervisor.pid}); there is nothing to resume`,
      );
    if (worker.lease)
      throw new AppError(
        "conflict",
        `worker ${worker.name} worked on task ${worker.lease.task} of the queue; retry it with: nightshift queue retry ${worker.lease.task}`,
      );
    const loaded = await loadTrustedConfig(io, worker.configRoot);
    await agreeToSandbox({ by: "record", env, ask: askForTrust(io) }, loaded);
    const request = await planResume(worker, loaded, { env, max: options.max });
    refuseFatal(await tellStartChecks(io, request, { isFatalTold: false }));
    if (options.foreground) return runInForeground(io, request);
    const state = await spawnSupervisor({ env, home }, request);
    const files = workerFiles(home, state.name);
    reporter.answer({ ...toListed(home, state), log: files.log, state: files.state }, [
      `${reporter.style.green("resumed")} ${state.name} (was ${worker.status}) after ${plural(state.session, "session")}`,
      `  log    ${files.log}`,
      `  watch  worker log ${state.name} -f`,
    ]);
  },
});
