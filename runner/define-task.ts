import type { TaskShell } from "./task-shell.ts";

/** An argument of a task: `nightshift run build --target es2022`. */
export type TaskArg =
  | {
      type: "string";
      description?: string;
      choices?: readonly string[];
      default?: string;
      required?: boolean;
    }
  | { type: "number"; description?: string; default?: number; required?: boolean }
  | { type: "boolean"; description?: string };

export type TaskArgs = Readonly<Record<string, TaskArg>>;

type ArgValue<S extends TaskArg> = S extends { type: "boolean" }
  ? boolean
  : S extends { type: "number" }
    ? S extends { default: number } | { required: true }
      ? number
      : number | undefined
    : S extends { default: string } | { required: true }
      ? string
      : string | undefined;

export type TaskContext<A extends TaskArgs = TaskArgs> = {
  /** zx's shell, bound to the project: its folder, its environment, and the signal that ends the task */
  $: TaskShell;
  args: { [K in keyof A]: ArgValue<A[K]> };
  /** the project's folder */
  root: string;
  /** aborted at Ctrl-C, at the time limit, and when another task failed */
  signal: AbortSignal;
  /** a line of progress */
  log: (line: string) => void;
};

export type TaskDefinition<A extends TaskArgs = TaskArgs> = {
  title: string;
  /** how it is called; by default the name of its file */
  name?: string;
  /** tasks that must have succeeded before */
  needs?: readonly string[];
  /** tasks with the same lock never run at the same time, in other processes either */
  lock?: string;
  /** globs of what it reads; with them it is skipped while nothing of it changed */
  inputs?: readonly string[];
  /** globs of what it writes; it runs again when one is missing or was changed */
  outputs?: readonly string[];
  args?: A;
  timeoutSeconds?: number;
  /** how often a failure is tried again */
  retries?: number;
  run: (context: TaskContext<A>) => unknown;
};

/** Tells tasks from whatever else a file exports, across the copies of this module that loaders make. */
const BRAND = Symbol.for("nightshift.task");

/** Declares a task; `nightshift run <name>` runs it after everything that it needs. */
export const defineTask = <const A extends TaskArgs = { [name: string]: never }>(
  task: TaskDefinition<A>,
): TaskDefinition<A> => Object.assign({}, task, { [BRAND]: true });

export const isTask = (value: unknown): value is TaskDefinition =>
  typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
