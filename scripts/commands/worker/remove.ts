import type { CodeDecision } from "../../../core/config/code-decision.ts";
import { existsSync } from "node:fs";
import { WORKER_NAME } from "../../../core/config/config-schema.ts";
import { findLockHolder } from "../../../core/lock-owner.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { loadConfig } from "../../../core/config/load-config.ts";
import { systemClock } from "../../../core/clock.ts";
import { AppError } from "../../../core/errors.ts";
import { type Environment, workersHome } from "../../../core/paths.ts";
import { forgetInFleet } from "../../../worker/telling/fleet-client.ts";
import { fleetSettings } from "../../../worker/start/plan-services.ts";
import { removeWorkerFiles } from "../../../worker/state/remove-files.ts";
import { endLeftovers } from "../../../worker/loop/stop-worker.ts";
import type { WorkerState } from "../../../worker/state/worker-state.ts";
import { isSupervised } from "../../../worker/state/worker-store.ts";
import { removeWorktree } from "../../../worker/session/worktree.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";
import { readingOnly } from "../../command/read-config.ts";

/**
 * Has the server forget the worker, if its project reports to one.
 * @returns why that server still shows it
 */
const forgetElsewhere = async (
  { env, decision }: { env: Environment; decision: CodeDecision },
  { name, memory }: Pick<WorkerState, "name" | "memory">,
  folders: readonly string[],
): Promise<string | undefined> => {
  for (const folder of folders) {
    // A folder or config that is gone or broken is no reason to keep a worker; nor is a server that is away.
    const loaded = await loadConfig(folder, decision).catch(() => undefined);
    const settings = loaded?.path === undefined ? undefined : fleetSettings(loaded, env);
    if (settings) return forgetInFleet(fetch, settings, name);
  }
  // Without a word in a config the server of this machine was told, where there was one.
  const settings = memory === "off" ? undefined : fleetSettings({ config: {} }, env);
  return settings && forgetInFleet(fetch, settings, name);
};

/** A start that was killed half-way leaves a log and a folder without any state. */
const removeLeftover = (home: string, name: string): boolean => {
  const isName = name.split("/").every((part) => new RegExp(WORKER_NAME).test(part));
  const { state, log, supervisorLock } = workerFiles(home, name);
  const isLeft = existsSync(log) || existsSync(supervisorLock);
  if (!isName || existsSync(state) || !isLeft || findLockHolder(supervisorLock)) return false;
  removeWorkerFiles(home, name);
  return true;
};

export const remove = defineCommand({
  description:
    "A worktree whose work is nowhere else (uncommitted, or on no other branch) is kept, and so is the worker; --force removes it after saving what is uncommitted to a rescue ref.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: { force: { type: "boolean", description: "Remove the worktree even if it has unmerged work" } },
  examples: ["worker remove docs"],
  run: async ({ args, options }, { env, cwd, reporter }) => {
    const home = workersHome(env);
    if (removeLeftover(home, args.name)) {
      const name = args.name;
      reporter.answer({ name, removed: true }, `${name} never began; what was left of its start is removed`);
      return;
    }
    const worker = getNamedWorker({ home, cwd }, args.name);
    if (isSupervised(home, worker))
      throw new AppError(
        "locked",
        `worker ${worker.name} is ${worker.status}; stop it first: worker stop ${worker.name}`,
      );
    await endLeftovers(worker, systemClock); // without the state, nobody would find them any more
    const { worktree } = worker;
    const removed = worktree
      ? await removeWorktree(env, worktree, { worker: worker.name, isForced: options.force })
      : undefined;
    const decision = readingOnly({ env, note: reporter.note });
    const unheard = await forgetElsewhere({ env, decision }, worker, [
      worktree?.repository ?? worker.dir,
      cwd,
    ]);
    removeWorkerFiles(home, worker.name);
    const tip = removed?.branchWasAt?.slice(0, 12);
    const problem = unheard === undefined ? {} : { fleetProblem: unheard };
    reporter.answer({ name: worker.name, removed: true, ...removed, ...problem }, [
      `${worker.name} is forgotten${worktree ? `, with its worktree ${worktree.path}` : ""}`,
      ...(worktree && tip ? [`  its branch comes back with: git branch ${worktree.branch} ${tip}`] : []),
    ]);
    if (unheard !== undefined)
      reporter.note(
        `the server could not be told (${unheard}); worker list --all shows ${worker.name} for up to 30 days`,
      );
  },
});
