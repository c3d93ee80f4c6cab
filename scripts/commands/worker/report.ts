import { createGit } from "../../../core/git.ts";
import { AppError } from "../../../core/errors.ts";
import { workersHome } from "../../../core/paths.ts";
import { findDiffStat } from "../../../worker/report/commit-stats.ts";
import { readLastNote } from "../../../worker/report/last-note.ts";
import { readCalls } from "../../../worker/report/calls.ts";
import { createReport, type Evidence, isSince } from "../../../worker/report/report.ts";
import { type ListedWorker, listWorkers } from "../../../worker/state/worker-store.ts";
import { workerFiles } from "../../../worker/state/worker-files.ts";
import { getNamedWorker } from "../../../worker/state/resolve-name.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { sinceMsOf } from "../../../core/people-time.ts";
import { reportHtml } from "./report-html.ts";
import { reportMarkdown } from "./report-markdown.ts";
import { reportLines } from "./report-text.ts";

const DEFAULT_SINCE = "24h";

const gather = async (
  worker: ListedWorker,
  { home, env }: { home: string; env: CommandIo["env"] },
): Promise<Evidence> => ({
  stat: await findDiffStat(
    createGit(worker.dir, env),
    worker.sessions.flatMap((session) => session.commits),
  ),
  note: readLastNote(worker),
  calls: await readCalls(workerFiles(home, worker.name)),
});

export const report = defineCommand({
  args: [
    {
      name: "name",
      description: "Only these workers, whenever they ran",
      isOptional: true,
      isVariadic: true,
      complete: "worker",
    },
  ],
  options: {
    since: {
      type: "string",
      placeholder: "span",
      description: `Workers that run, or ended within this span: 90m, 12h, 2d (default ${DEFAULT_SINCE})`,
    },
    markdown: { type: "boolean", description: "As Markdown" },
    html: { type: "boolean", description: "As one HTML page" },
  },
  examples: [
    "worker report",
    "worker report --since 12h",
    "worker report docs --markdown",
    "worker report --html > report.html",
  ],
  run: async ({ args, options }, { env, cwd, reporter }) => {
    if (options.markdown && options.html)
      throw new AppError("usage", "--markdown and --html exclude each other; choose one");
    const home = workersHome(env);
    const nowMs = Date.now();
    const isNamed = args.name.length > 0;
    const sinceMs =
      isNamed && options.since === undefined ? undefined : sinceMsOf(options.since ?? DEFAULT_SINCE, nowMs);
    const { workers, damaged } = isNamed
      ? { workers: args.name.map((name) => getNamedWorker({ home, cwd }, name)), damaged: [] }
      : listWorkers(home);
    const found = await Promise.all(
      workers
        .filter((worker) => sinceMs === undefined || isSince(worker, sinceMs))
        .map(async (worker) => ({ worker, evidence: await gather(worker, { home, env }) })),
    );
    const made = createReport(found, { nowMs, ...(sinceMs === undefined ? {} : { sinceMs }) });
    for (const { problem } of damaged) reporter.note(`${reporter.style.red("damaged:")} ${problem}`);
    reporter.json(made);
    if (options.html) reporter.verbatim(reportHtml(made));
    else if (options.markdown) reporter.verbatim(reportMarkdown(made));
    else if (found.length === 0)
      reporter.text(`no worker ran within ${options.since ?? DEFAULT_SINCE}; all of them: worker list`);
    else for (const line of reportLines(made, reporter)) reporter.text(line);
  },
});
