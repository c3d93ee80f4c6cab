import type { CommandIo } from "../../command/define-command.ts";
import { systemClock } from "../../../core/clock.ts";
import { loadConfig } from "../../../core/config/load-config.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { AppError } from "../../../core/errors.ts";
import { listByGlobs } from "../../../gates/list-files.ts";
import { loadTasks, type Task } from "../../../tasks/run/load-tasks.ts";
import { runTasks, type TaskEvent, type TaskOutcome } from "../../../tasks/run/run-tasks.ts";
import { describeArgs, readArgs } from "../../../tasks/run/task-args.ts";
import { checkGraph, describePlan, planTasks } from "../../../tasks/run/task-graph.ts";
import { watchAndRun } from "../../../tasks/run/watch.ts";
import { defineCommand } from "../../command/define-command.ts";
import type { Reporter } from "../../command/reporter.ts";

/** `build test --target es2022`: names first, then the arguments of the last one. */
const splitWords = (words: readonly string[]): { names: string[]; rest: string[] } => {
  const at = words.findIndex((word) => word.startsWith("-"));
  return at < 0 ? { names: [...words], rest: [] } : { names: words.slice(0, at), rest: words.slice(at) };
};

type Printer = { onEvent: (event: TaskEvent) => void; renderer: "default" | "silent" };

/** On a terminal listr2 shows the pipeline; elsewhere every line carries the name of its task; GitHub folds them. */
const createPrinter = (reporter: Reporter, env: CommandIo["env"]): Printer => {
  if (reporter.isJson) return { onEvent: (event) => reporter.json(event), renderer: "silent" };
  if (reporter.isTerminal) return { onEvent: () => {}, renderer: "default" };
  const isGitHub = env["GITHUB_ACTIONS"] === "true";
  const kept = new Map<string, string[]>();
  const endLine = ({ task, status, durationMs }: TaskEvent & { event: "end" }): string =>
    status === "fresh"
      ? `${task}: nothing changed`
      : `${task}: ${status} (${(durationMs / 1000).toFixed(1)} s)`;
  const onEvent = (event: TaskEvent): void => {
    if (event.event === "line") {
      if (isGitHub) kept.set(event.task, [...(kept.get(event.task) ?? []), event.line]);
      else reporter.text(`${event.task} | ${event.line}`);
    } else if (event.event === "start") {
      if (!isGitHub) reporter.text(`${event.task}: ${event.title}`);
    } else {
      // Tasks run side by side, so a group is printed whole when its task has ended.
      if (isGitHub)
        for (const line of [`::group::${event.task}`, ...(kept.get(event.task) ?? []), "::endgroup::"])
          reporter.text(line);
      reporter.text(endLine(event));
      if (isGitHub && event.status === "failed")
        reporter.text(`::error title=task ${event.task}::${event.problem}`);
    }
  };
  return { onEvent, renderer: "silent" };
};

const reportFailure = (outcomes: readonly TaskOutcome[], reporter: Reporter): number => {
  const first = outcomes.find(({ end }) => end.status === "failed");
  if (!first || first.end.status !== "failed") return EXIT.no;
  const { problem, lastLines, exitCode } = first.end;
  reporter.note(`${reporter.style.red("failed:")} task ${first.task}: ${problem}`);
  for (const line of lastLines.slice(-20)) reporter.note(`  ${line}`);
  return exitCode === 0 ? EXIT.no : exitCode;
};

const isInputOf = (plan: readonly Task[], root: string) => {
  const outputs = new Set(
    plan.flatMap(({ outputs = [] }) => (outputs.length > 0 ? listByGlobs(outputs, root) : [])),
  );
  const watchesAll = plan.some(({ inputs }) => !inputs);
  const inputs = watchesAll ? undefined : plan.flatMap(({ inputs: globs = [] }) => globs);
  return (file: string): boolean =>
    !outputs.has(file) &&
    (inputs === undefined ||
      listByGlobs(inputs, root).includes(file) ||
      plan.some((task) => task.file === file));
};

export const run = defineCommand({
  name: "nightshift run",
  summary: "Run a task script and everything it needs",
  description:
    "Tasks are the files of tasks/*.ts that export defineTask (see docs/tasks.md). What is behind a task's name and is no option of this command is the task's own: `nightshift run build --help` shows its arguments. The exit code is that of the command that failed.",
  args: [{ name: "task", description: "tasks to run, then the arguments of the last one", isVariadic: true }],
  passesUnknown: true,
  options: {
    dryRun: { type: "boolean", description: "show what would run, in order, and run nothing" },
    watch: { type: "boolean", description: "run again whenever a file changes" },
    noCache: { type: "boolean", description: "run tasks whose inputs did not change, too" },
  },
  json: "lines",
  examples: [
    "nightshift run build",
    "nightshift run lint test --dry-run",
    "nightshift run release --version 1.2.0",
    "nightshift run test --watch",
  ],
  run: async ({ args, options }, { cwd, env, signal, reporter }) => {
    const { config, root } = await loadConfig(cwd);
    const tasks = await loadTasks(root, config.tasks ?? "tasks/*.ts");
    checkGraph(tasks);
    const { names, rest } = splitWords(args.task);
    const plan = planTasks(tasks, names);
    const last = plan.find(({ name }) => name === names.at(-1));
    if (last && (rest.includes("--help") || rest.includes("-h"))) {
      reporter.text(describeArgs(last).join("\n"));
      return EXIT.yes;
    }
    const values = new Map(plan.map((task) => [task.name, readArgs(task, task === last ? rest : [])]));
    if (options.dryRun) {
      reporter.answer(
        { plan: plan.map(({ name, title, needs = [], lock, file }) => ({ name, title, needs, lock, file })) },
        describePlan(plan),
      );
      return EXIT.yes;
    }
    const printer = createPrinter(reporter, env);
    const runPlan = () =>
      runTasks(
        { env, clock: systemClock, signal },
        { root, plan, args: values, useCache: !options.noCache, ...printer },
      );
    if (options.watch) {
      await watchAndRun(
        { clock: systemClock, signal },
        {
          root,
          isInput: isInputOf(plan, root),
          run: async () => {
            const outcomes = await runPlan();
            if (outcomes.some(({ end }) => end.status === "failed")) reportFailure(outcomes, reporter);
            if (!signal.aborted) reporter.note("watching for changes; Ctrl-C ends it");
          },
        },
      );
      return EXIT.interrupted;
    }
    const outcomes = await runPlan();
    if (signal.aborted)
      throw new AppError(
        "interrupted",
        "interrupted; the tasks' processes were ended and their locks released",
      );
    const isOk = outcomes.every(({ end }) => end.status === "done" || end.status === "fresh");
    return isOk ? EXIT.yes : reportFailure(outcomes, reporter);
  },
});
