import { AppError } from "../../../core/errors.ts";
import { realFolder, workersHome } from "../../../core/paths.ts";
import { SANDBOX_MODES } from "../../../sandbox/settings.ts";
import { agreeToSandbox } from "../../../worker/start/agree-to-sandbox.ts";
import { refuseFatal } from "../../../worker/start/check-start.ts";
import { dryRun } from "../../../worker/start/dry-run.ts";
import { planStart } from "../../../worker/start/plan-start.ts";
import { spawnSupervisor } from "../../../worker/start/spawn-supervisor.ts";
import { toListed } from "../../../worker/state/worker-store.ts";
import { linkText } from "../../../worker/state/chain.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { defineCommand } from "../../command/define-command.ts";
import { askForTrust, loadTrustedConfig } from "../../command/read-config.ts";
import { runInForeground } from "./foreground.ts";
import { tellStartChecks } from "./start-checks.ts";

export const start = defineCommand({
  description:
    "Task, directory and the rest come from workers.<name> in agent.config.ts when it is declared there; flags win.",
  args: [
    {
      name: "name",
      description: "Name of the worker; names its state file and log",
      complete: "declared-worker",
    },
  ],
  options: {
    task: { type: "string", description: "Instruction for the worker" },
    dir: {
      type: "string",
      placeholder: "path",
      complete: "folder",
      description: "Working directory (default: here); one worker per directory",
    },
    max: {
      type: "integer",
      minimum: 1,
      maximum: 10_000,
      placeholder: "sessions",
      description: "Maximum number of sessions (default 10)",
    },
    agent: {
      type: "string",
      placeholder: "id",
      complete: "agent",
      description:
        "Coding agent (default: the first one found), or several that stand in for each other: claude,codex:<model>",
    },
    model: { type: "string", placeholder: "name", description: "Model, in the agent's own spelling" },
    worktree: {
      type: "boolean",
      description: "Work in a git worktree and on a branch of its own, beside the repository",
    },
    sandbox: {
      type: "string",
      choices: SANDBOX_MODES,
      description: "What holds its sessions (default auto: on where the machine can do it)",
    },
    shared: { type: "boolean", description: "Allow another worker elsewhere in the same git worktree" },
    foreground: {
      type: "boolean",
      description:
        "Supervise in this terminal, with a live view; Ctrl-C stops after a handoff; a second Ctrl-C stops at once",
    },
    dryRun: { type: "boolean", description: "Show the prompt and the command line; start nothing" },
  },
  examples: [
    `worker start docs --task "Fix the broken links in docs/" --dir . --max 5`,
    "worker start docs",
    "worker start docs --dry-run",
  ],
  run: async ({ args, options }, io) => {
    const { env, cwd, reporter } = io;
    const { task, dir, max, agent, model } = options;
    const folder = dir === undefined ? cwd : realFolder(dir, cwd);
    if (env["NIGHTSHIFT_SANDBOX"])
      throw new AppError(
        "conflict",
        "this is a session in a sandbox, with which everything in it ends; start workers from outside",
      );
    const loaded = await loadTrustedConfig(io, folder);
    await agreeToSandbox({ by: "record", env, ask: askForTrust(io) }, loaded);
    const request = await planStart(
      {
        name: args.name,
        task,
        dir,
        max,
        agent,
        model,
        sandbox: options.sandbox,
        isShared: options.shared,
        isWorktree: options.worktree,
      },
      loaded,
      { env, cwd },
    );
    const home = workersHome(env);
    if (request.name !== args.name)
      reporter.note(
        `${args.name} is the name of a worker of another directory; this one goes by ${request.name} (here, ${args.name} means it, too)`,
      );
    const checks = await tellStartChecks(io, request, { isFatalTold: options.dryRun });
    if (options.dryRun) {
      const shown = { ...(await dryRun({ env, home }, request)), checks };
      reporter.answer(shown, [
        `agent:   ${shown.agentTitle}`,
        `command: ${[shown.command, ...shown.args].map((word) => (/[^\w./:=@-]/.test(word) ? JSON.stringify(word) : word)).join(" ")}`,
        `folder:  ${request.dir}`,
        "prompt:",
        shown.prompt,
      ]);
      return true;
    }
    refuseFatal(checks);
    if (options.foreground) return runInForeground(io, request);
    const state = await spawnSupervisor({ env, home }, request);
    const files = workerFiles(home, state.name);
    reporter.answer({ ...toListed(home, state), log: files.log, state: files.state }, [
      `${reporter.style.green("started")} ${state.name} with ${[state.agentTitle, ...(state.chain ?? []).slice(1).map(linkText)].join(", then ")} in ${state.dir}`,
      `  log    ${files.log}`,
      `  state  ${files.state}`,
      `  watch  worker log ${state.name} -f`,
    ]);
  },
});
