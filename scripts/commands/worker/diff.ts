import { AppError } from "../../../core/errors.ts";
import { createGit } from "../../../core/git.ts";
import { workersHome } from "../../../core/paths.ts";
import { findRange } from "../../../worker/report/commit-stats.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { defineCommand } from "../../command/define-command.ts";

export const diff = defineCommand({
  args: [{ name: "name", description: "Name of the worker", complete: "worker" }],
  options: { stat: { type: "boolean", description: "Only which files, and how much" } },
  examples: ["worker diff docs --stat", "worker diff docs | less -R"],
  run: async ({ args, options }, { env, cwd, reporter }) => {
    const worker = getNamedWorker({ home: workersHome(env), cwd }, args.name);
    const git = createGit(worker.dir, env);
    const commits = worker.sessions.flatMap((session) => session.commits);
    const range = await findRange(git, commits);
    const left = (await git.find(["status", "--porcelain"]))?.trim() ?? "";
    if (left !== "") reporter.note(`${worker.dir} also has uncommitted changes: git -C ${worker.dir} status`);
    if (!range) throw new AppError("not-found", `worker ${worker.name} has made no commit`);
    const isColored = reporter.style.bold("x") !== "x";
    const patch = await git.run([
      "diff",
      "--no-ext-diff",
      "--find-renames",
      `--color=${isColored ? "always" : "never"}`,
      ...(options.stat ? ["--stat", `--stat-width=${reporter.columns}`] : []),
      range.from,
      range.to,
    ]);
    reporter.json({ worker: worker.name, dir: worker.dir, ...range, commits, patch });
    reporter.verbatim(patch.trimEnd());
  },
});
