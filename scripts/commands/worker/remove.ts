import { loadConfig } from "../../../core/config/load-config.ts";
import { systemClock } from "../../../core/clock.ts";
import { AppError } from "../../../core/errors.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { type Environment, workersHome } from "../../../core/paths.ts";
import { isAlive } from "../../../core/process-identity.ts";
import { forgetInFleet } from "../../../worker/loop/fleet-reporter.ts";
import { fleetSettings } from "../../../worker/start/plan-start.ts";
import { removeWorkerFiles } from "../../../worker/state/remove-files.ts";
import { endLeftovers } from "../../../worker/loop/stop-worker.ts";
import { getWorker } from "../../../worker/state/worker-store.ts";
import { removeWorktree } from "../../../worker/session/worktree.ts";
import { defineCommand } from "../../command/define-command.ts";

/**
 * Has the server forget the worker, if its project reports to one.
 * @returns why that server still shows it
 */
const forgetElsewhere = async (
  env: Environment,
  name: string,
  folders: readonly string[],
): Promise<string | undefined> => {
  for (const folder of folders) {
    // A folder or config that is gone or broken is no reason to keep a worker; nor is a server that is away.
    const loaded = await loadConfig(folder).catch(() => undefined);
    const settings = loaded && fleetSettings(loaded, env);
    if (settings) return forgetInFleet(fetch, settings, name);
  }
  return undefined;
};

export const remove = defineCommand({
  description:
    "A worktree whose work is nowhere else (uncommitted, or on no other branch) is kept, and so is the worker; --force removes it after saving what is uncommitted to a rescue ref.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: { force: { type: "boolean", description: "Remove a worktree with unmerged work, too" } },
  json: "document",
  examples: ["worker remove docs"],
  run: async ({ args, options }, { env, cwd, reporter }) => {
    const home = workersHome(env);
    const worker = getWorker(home, args.name);
    if (isAlive(worker.supervisor))
      throw new AppError(
        "locked",
        `worker ${worker.name} is ${worker.shown}; stop it first: worker stop ${worker.name}`,
      );
    await endLeftovers(worker, systemClock); // without the state, nobody would find them any more
    const { worktree } = worker;
    const removed = worktree
      ? await removeWorktree(env, worktree, { worker: worker.name, isForced: options.force })
      : undefined;
    const unheard = await forgetElsewhere(env, worker.name, [worktree?.repository ?? worker.dir, cwd]);
    removeWorkerFiles(home, worker.name);
    const tip = removed?.branchWasAt?.slice(0, 12);
    const problem = unheard === undefined ? {} : { fleetProblem: unheard };
    reporter.answer({ name: worker.name, removed: true, ...removed, ...problem }, [
      `${worker.name} is forgotten${worktree ? `, with its worktree ${worktree.path}` : ""}`,
      ...(worktree && tip ? [`  its branch comes back with: git branch ${worktree.branch} ${tip}`] : []),
    ]);
    if (unheard !== undefined)
      reporter.note(`worker list --all still shows it, for 30 days at most: ${unheard}`);
    return EXIT.yes;
  },
});
