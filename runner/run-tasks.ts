import { Listr, type ListrTask } from "listr2";
import { errorText } from "../core/errors.ts";
import type { Task } from "./load-tasks.ts";
import { failedTask, runTask, type TaskEnd, type TaskPorts } from "./run-task.ts";
import type { ArgValues } from "./task-args.ts";
import { hashTask, isFresh, markFresh } from "./task-cache.ts";

export type TaskEvent =
  | { event: "start"; task: string; title: string }
  | { event: "line"; task: string; line: string }
  | ({ event: "end"; task: string; durationMs: number } & TaskEnd);

export type TaskRun = {
  root: string;
  /** needs before what needs them */
  plan: readonly Task[];
  args: ReadonlyMap<string, ArgValues>;
  useCache: boolean;
  onEvent: (event: TaskEvent) => void;
  renderer: "default" | "simple" | "silent";
};

export type TaskOutcome = { task: string; end: TaskEnd; durationMs: number };

const titleOf = ({ title }: Task, { end, durationMs }: Pick<TaskOutcome, "end" | "durationMs">): string => {
  if (end.status === "fresh") return `${title}: nothing changed`;
  if (end.status === "done") return `${title} (${(durationMs / 1000).toFixed(1)} s)`;
  return end.status === "failed" ? `${title}: ${end.problem}` : `${title}: ${end.reason}`;
};

/**
 * Runs a plan as one listr2 pipeline, side by side as far as the needs allow. The first failure stops what
 * runs and starts nothing more.
 */
export const runTasks = async (ports: TaskPorts, run: TaskRun): Promise<TaskOutcome[]> => {
  const failure = new AbortController();
  const inner: TaskPorts = { ...ports, signal: AbortSignal.any([ports.signal, failure.signal]) };
  const ends = new Map<string, Promise<TaskOutcome>>();
  const finish = new Map<string, (outcome: TaskOutcome) => void>();
  for (const { name } of run.plan) ends.set(name, new Promise((resolve) => finish.set(name, resolve)));

  /** Resolves when a task may start; with how it ended where it may not at all. */
  const waitForNeeds = async (task: Task): Promise<TaskEnd | undefined> => {
    const needs = await Promise.all((task.needs ?? []).flatMap((need) => ends.get(need) ?? []));
    const missing = needs.find(({ end }) => end.status !== "done" && end.status !== "fresh");
    if (missing) return { status: "stopped", reason: `${missing.task} did not succeed` };
    if (inner.signal.aborted)
      return { status: "stopped", reason: ports.signal.aborted ? "interrupted" : "another task failed" };
    return undefined;
  };

  const runOne = async (task: Task, onLine: (line: string) => void): Promise<TaskEnd> => {
    const args = run.args.get(task.name) ?? {};
    const hash = run.useCache ? hashTask(task, args, run.root) : undefined;
    if (hash !== undefined && isFresh(task, hash, run.root)) return { status: "fresh" };
    run.onEvent({ event: "start", task: task.name, title: task.title });
    const end = await runTask(inner, { task, args, root: run.root, onLine });
    // Hashed before it ran: a file that was changed meanwhile makes the next run start it again.
    if (end.status === "done" && hash !== undefined) noteFresh(task, hash, onLine);
    if (end.status === "stopped" && !ports.signal.aborted)
      return { status: "stopped", reason: "another task failed" };
    return end;
  };

  /** The work is done all the same: it is only done once more the next time. */
  const noteFresh = (task: Task, hash: string, onLine: (line: string) => void): void => {
    try {
      markFresh(task, hash, run.root);
    } catch (error) {
      onLine(`it will run again the next time: ${errorText(error)}`);
    }
  };

  const tasks = run.plan.map((task): ListrTask => ({
    title: task.title,
    task: async (_, shown) => {
      const onLine = (line: string): void => {
        shown.output = line;
        run.onEvent({ event: "line", task: task.name, line });
      };
      const unmet = await waitForNeeds(task);
      const startedAt = ports.clock.elapsed();
      const end =
        unmet ?? (await runOne(task, onLine).catch((error: unknown) => failedTask(error, run.root)));
      const durationMs = Math.round(ports.clock.elapsed() - startedAt);
      const outcome = { task: task.name, end, durationMs };
      finish.get(task.name)?.(outcome);
      run.onEvent({ event: "end", task: task.name, durationMs, ...end });
      shown.title = titleOf(task, outcome);
      if (end.status === "failed") {
        failure.abort();
        throw new Error(shown.title);
      }
      if (end.status !== "done") shown.skip(shown.title);
    },
  }));
  await new Listr(tasks, {
    concurrent: true,
    exitOnError: false,
    renderer: run.renderer,
    collectErrors: false,
    // listr2 would end this process itself, with 127, before our children are gone.
    registerSignalListeners: false,
  }).run();
  return Promise.all(run.plan.flatMap(({ name }) => ends.get(name) ?? []));
};
