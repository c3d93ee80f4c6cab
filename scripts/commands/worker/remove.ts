import { systemClock } from "../../../core/clock.ts";
import { AppError } from "../../../core/errors.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { workersHome } from "../../../core/paths.ts";
import { isAlive } from "../../../core/process-identity.ts";
import { removeWorkerFiles } from "../../../tasks/worker/remove-files.ts";
import { endLeftovers } from "../../../tasks/worker/stop-worker.ts";
import { getWorker } from "../../../tasks/worker/worker-store.ts";
import { removeWorktree } from "../../../tasks/worker/worktree.ts";
import { defineCommand } from "../../command/define-command.ts";

export const remove = defineCommand({
  name: "worker remove",
  summary: "Forget a worker that has ended: its state, log, events, handoffs and worktree",
  description:
    "A worktree whose work is nowhere else (uncommitted, or on no other branch) is kept, and so is the worker; --force removes it after saving what is uncommitted to a rescue ref.",
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: { force: { type: "boolean", description: "Remove a worktree with unmerged work, too" } },
  json: "document",
  run: async ({ args, options }, { env, reporter }) => {
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
    removeWorkerFiles(home, worker.name);
    const tip = removed?.branchWasAt?.slice(0, 12);
    reporter.answer({ name: worker.name, removed: true, ...removed }, [
      `${worker.name} is forgotten${worktree ? `, with its worktree ${worktree.path}` : ""}`,
      ...(worktree && tip ? [`  its branch comes back with: git branch ${worktree.branch} ${tip}`] : []),
    ]);
    return EXIT.yes;
  },
});
