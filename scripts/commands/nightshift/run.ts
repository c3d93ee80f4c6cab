import type { CommandIo } from "../../command/define-command.ts";
import { systemClock } from "../../../core/clock.ts";
import { loadConfig } from "../../../core/config/load-config.ts";
import { EXIT } from "../../../core/exit-codes.ts";
import { AppError } from "../../../core/errors.ts";
import { listByGlobs, listProjectFiles } from "../../../core/list-files.ts";
import { loadTasks, type Task } from "../../../runner/load-tasks.ts";
import { runTasks, type TaskOutcome } from "../../../runner/run-tasks.ts";
import { type ArgValues, describeArgs, readArgs } from "../../../runner/task-args.ts";
import { checkGraph, describePlan, planTasks } from "../../../runner/task-graph.ts";
import { watchAndRun } from "../../../runner/watch.ts";
import { defineCommand } from "../../command/define-command.ts";
import type { Reporter } from "../../command/reporter.ts";
import { createPrinter } from "./task-printer.ts";

/** `build test --target es2022`: names first, then the arguments of the last one. */
const splitWords = (words: readonly string[]): { names: string[]; rest: string[] } => {
  const at = words.findIndex((word) => word.startsWith("-"));
  return at < 0 ? { names: [...words], rest: [] } : { names: words.slice(0, at), rest: words.slice(at) };
};

const reportFailure = (outcomes: readonly TaskOutcome[], reporter: Reporter): number => {
  const first = outcomes.find(({ end }) => end.status === "failed");
  if (!first || first.end.status !== "failed") return EXIT.no;
  const { problem, lastLines, exitCode } = first.end;
  reporter.note(`${reporter.style.red("failed:")} task ${first.task}: ${problem}`);
  for (const line of lastLines.slice(-20)) reporter.note(`  ${line}`);
  return exitCode === 0 ? EXIT.no : exitCode;
};

/** What a plan reads: its inputs, or every file of the project where a task declares none; never what it writes. */
const listWatched = async (plan: readonly Task[], root: string, env: CommandIo["env"]): Promise<string[]> => {
  const globs = (of: (task: Task) => readonly string[] | undefined): string[] => {
    const declared = plan.flatMap((task) => of(task) ?? []);
    return declared.length > 0 ? listByGlobs(declared, root) : [];
  };
  const outputs = new Set(globs((task) => task.outputs));
  const inputs = plan.some((task) => !task.inputs)
    ? await listProjectFiles(root, env)
    : [...new Set([...globs((task) => task.inputs), ...plan.map(({ file }) => file)])];
  return inputs.filter((file) => !outputs.has(file));
};

type Plan = {
  root: string;
  plan: readonly Task[];
  /** the task that was named last: the words behind the names are its arguments */
  last: Task | undefined;
  words: readonly string[];
};

/** Reads config and tasks as they are now. */
const loadPlan = async (cwd: string, words: readonly string[]): Promise<Plan> => {
  const { config, root } = await loadConfig(cwd, { by: "command" });
  const tasks = await loadTasks(root, config.tasks ?? "tasks/*.ts");
  checkGraph(tasks);
  const { names, rest } = splitWords(words);
  const plan = planTasks(tasks, names);
  return { root, plan, last: plan.find(({ name }) => name === names.at(-1)), words: rest };
};

/** What may have been meant by an option that a task does not know. */
const OWN_OPTIONS = ["dry-run", "watch", "verbose", "no-cache", "json", "help"];

const argsOf = ({ plan, last, words }: Plan): ReadonlyMap<string, ArgValues> =>
  new Map(plan.map((task) => [task.name, readArgs(task, task === last ? words : [], OWN_OPTIONS)]));

/** Runs now and at every change, with the tasks as they are then, until Ctrl-C. */
const watchPlan = async (
  { env, signal, reporter }: CommandIo,
  {
    first,
    load,
    runPlan,
  }: {
    first: Plan;
    load: () => Promise<Plan>;
    runPlan: (plan: Plan) => Promise<TaskOutcome[]>;
  },
): Promise<number> => {
  let current = first;
  let isFirst = true;
  await watchAndRun(
    { clock: systemClock, signal },
    {
      root: first.root,
      listFiles: () => listWatched(current.plan, first.root, env),
      run: async () => {
        try {
          if (!isFirst) current = await load();
          isFirst = false;
          const outcomes = await runPlan(current);
          if (outcomes.some(({ end }) => end.status === "failed")) reportFailure(outcomes, reporter);
        } catch (error) {
          // A task file in the middle of an edit is no reason to stop watching it.
          if (!(error instanceof AppError)) throw error;
          reporter.note(`${reporter.style.red("error:")} ${error.message}`);
        }
        if (!signal.aborted) reporter.note("watching for changes; Ctrl-C ends it");
      },
    },
  );
  return EXIT.interrupted;
};

export const run = defineCommand({
  description:
    "Tasks are the files of tasks/*.ts that export defineTask (see docs/tasks.md). What is no option of this command is an argument of the task that is named last: `nightshift run build --help` shows them, and behind `--` everything is the task's. The exit code is that of the command that failed.",
  args: [
    {
      name: "task",
      description: "tasks to run, then the arguments of the last one",
      isVariadic: true,
      complete: "task",
    },
  ],
  passesUnknown: true,
  options: {
    dryRun: { type: "boolean", description: "show what would run, in order, and run nothing" },
    watch: { type: "boolean", description: "run again whenever a file changes" },
    verbose: {
      type: "boolean",
      description: "on a terminal: show the output of every task, not only of the last one",
    },
    noCache: { type: "boolean", description: "also run tasks whose inputs did not change" },
  },
  json: "lines",
  examples: [
    "nightshift run build",
    "nightshift run lint test --dry-run",
    "nightshift run release --version 1.2.0 --verbose",
    "nightshift run test --watch",
  ],
  run: async ({ args, options }, io) => {
    const { cwd, env, signal, reporter } = io;
    const load = () => loadPlan(cwd, args.task);
    const first = await load();
    if (first.last && first.words.some((word) => word === "--help" || word === "-h")) {
      reporter.text(describeArgs(first.last).join("\n"));
      return true;
    }
    if (options.dryRun) {
      reporter.answer(
        {
          plan: first.plan.map(({ name, title, needs = [], lock, file }) => ({
            name,
            title,
            needs,
            lock,
            file,
          })),
        },
        describePlan(first.plan),
      );
      return true;
    }
    const runPlan = async (now: Plan) => {
      const { root, plan, last } = now;
      const shown = { plan, last: last?.name, isVerbose: options.verbose };
      const { finish, ...printer } = createPrinter(reporter, env, shown);
      const outcomes = await runTasks(
        { env, clock: systemClock, signal },
        { root, plan, args: argsOf(now), useCache: !options.noCache, ...printer },
      );
      finish();
      return outcomes;
    };
    if (options.watch) return watchPlan(io, { first, load, runPlan });
    const outcomes = await runPlan(first);
    if (signal.aborted)
      throw new AppError(
        "interrupted",
        "interrupted; the tasks' processes were ended and their locks released",
      );
    const isOk = outcomes.every(({ end }) => end.status === "done" || end.status === "fresh");
    return isOk ? EXIT.yes : reportFailure(outcomes, reporter);
  },
});
