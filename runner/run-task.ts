import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { inspect } from "node:util";
import { $, ProcessOutput, type Shell } from "zx";
import { type Clock, systemClock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { ERROR_CODES } from "../core/error-codes.ts";
import { type FileLock, tryLock } from "../core/file-lock.ts";
import { endMarked, MARKER, nestMark } from "../core/process-tree.ts";
import { ownFolder } from "../core/own-folder.ts";
import type { Task } from "./load-tasks.ts";
import { OutputLines } from "./output-lines.ts";
import type { ArgValues } from "./task-args.ts";

export type TaskPorts = {
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  signal: AbortSignal;
};

/** How a task ended; `exitCode` is that of the command that failed. */
export type TaskEnd =
  | { status: "done" }
  | { status: "fresh" }
  | { status: "failed"; exitCode: number; problem: string; lastLines: string[] }
  | { status: "stopped"; reason: string };

const LOCK_POLL_MS = 200;

const takeLock = async (
  { clock, signal }: TaskPorts,
  { name, lock, root, note }: { name: string; lock: string; root: string; note: (line: string) => void },
): Promise<FileLock> => {
  ownFolder(root);
  const path = join(root, ".nightshift", "locks", `${encodeURIComponent(lock)}.lock`);
  let told = false;
  for (;;) {
    signal.throwIfAborted();
    const attempt = tryLock(path, { label: `task ${name}`, now: clock.now() });
    if (attempt.lock) return attempt.lock;
    if (!told) note(`waiting for lock ${lock}, held by ${attempt.holder.label} (pid ${attempt.holder.pid})`);
    told = true;
    await clock.sleep(LOCK_POLL_MS, signal);
  }
};

type Failure = { exitCode: number; problem: string; lines: string[] };

const MOST_FRAMES = 3;

/** Why a task failed, and with which exit code: the command's own where it was one. */
const describeFailure = (error: unknown, root: string): Failure => {
  if (error instanceof ProcessOutput) {
    const { exitCode, signal } = error;
    const problem =
      exitCode !== null
        ? `a command exited with ${exitCode}`
        : signal !== null
          ? `a command was ended by ${signal}`
          : `a command could not be started: ${error.message.trim()}`;
    return { exitCode: exitCode ?? 1, problem, lines: [] };
  }
  if (error instanceof AppError)
    return { exitCode: ERROR_CODES[error.code].exit, problem: error.message, lines: [] };
  if (!(error instanceof Error)) return { exitCode: 1, problem: `threw ${inspect(error)}`, lines: [] };
  // Where in the project's own files it was thrown; the frames of ours help nobody.
  const frames = (error.stack ?? "").split("\n").filter((line) => line.includes(`${root}/`));
  return {
    exitCode: 1,
    problem: error.message || error.name,
    lines: frames.slice(0, MOST_FRAMES).map((line) => line.trim().replaceAll(/\?changed=[\d.]+/g, "")),
  };
};

const failedEnd = ({ lines, ...failure }: Failure, before: readonly string[] = []): TaskEnd => ({
  status: "failed",
  ...failure,
  lastLines: [...before, ...lines],
});

/** A task that failed of itself, not of a command. */
export const failedTask = (error: unknown, root: string): TaskEnd => failedEnd(describeFailure(error, root));

type Attempt = { task: Task; args: ArgValues; root: string; onLine: (line: string) => void };

/** One try: the task's function with a shell whose every child is gone when this resolves. */
const runOnce = async (ports: TaskPorts, { task, args, root, onLine }: Attempt): Promise<TaskEnd> => {
  const mark = randomUUID();
  const limit = new AbortController();
  const timer =
    task.timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => limit.abort(), task.timeoutSeconds * 1000);
  const signal = AbortSignal.any([ports.signal, limit.signal]);
  const lines = new OutputLines(onLine);
  const shell = $({
    cwd: root,
    env: { ...ports.env, [MARKER]: nestMark(ports.env, mark), FORCE_COLOR: "0" },
    signal,
    verbose: true,
    // What a task prints is one event a line; zx's own printing would mix the lines of tasks side by side.
    log: (entry) => {
      if (entry.verbose !== true) return; // quiet(), or piped into the next command
      if (entry.kind === "stdout" || entry.kind === "stderr")
        lines.add(`${entry.id} ${entry.kind}`, entry.data);
      if (entry.kind === "cmd") lines.line(`$ ${entry.cmd}`);
    },
  });
  const log = (line: unknown): void => {
    for (const part of String(line).split(/\r?\n/)) lines.line(part);
  };
  // The children end first, then the function's own await sees it; a function that ignores the signal is left behind.
  const stopped = new Promise<"stopped">((resolve) => {
    const stop = () =>
      void endMarked(mark, { clock: systemClock, graceMs: 2_000 }).then(() => resolve("stopped"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  let failure: Failure | undefined;
  try {
    // A task may as well be a plain function.
    const ran = (async () => task.run({ $: requireValues(shell, task, args), args, root, signal, log }))();
    const end = await Promise.race([ran.then(() => "done" as const), stopped]);
    ran.catch(() => {}); // already told as a stop
    if (end === "done" && !signal.aborted) return { status: "done" };
  } catch (error) {
    if (!signal.aborted) failure = describeFailure(error, root);
  } finally {
    clearTimeout(timer);
    await endMarked(mark, { clock: systemClock, graceMs: 500 });
    lines.end();
  }
  if (failure) return failedEnd(failure, lines.last());
  if (limit.signal.aborted && !ports.signal.aborted)
    return {
      status: "failed",
      exitCode: 1,
      problem: `took longer than ${task.timeoutSeconds} s and was ended`,
      lastLines: lines.last(),
    };
  return { status: "stopped", reason: "interrupted" };
};

/** Runs one task: its lock, its tries, its time limit. Never rejects for what the task does. */
export const runTask = async (ports: TaskPorts, attempt: Attempt): Promise<TaskEnd> => {
  const { task, root, onLine } = attempt;
  let lock: FileLock | undefined;
  try {
    if (task.lock !== undefined)
      lock = await takeLock(ports, { name: task.name, lock: task.lock, root, note: onLine });
    for (let tries = 0; ; tries += 1) {
      const end = await runOnce(ports, attempt);
      if (end.status !== "failed" || tries >= (task.retries ?? 0)) return end;
      onLine(`${end.problem}; trying again (${tries + 1} of ${task.retries})`);
    }
  } catch (error) {
    if (ports.signal.aborted) return { status: "stopped", reason: "interrupted" };
    return failedTask(error, root);
  } finally {
    lock?.release();
  }
};

/** A task's shell that refuses a value which is not there; zx runs the command with the word "undefined" in it. */
const requireValues = (shell: Shell, task: Task, args: ArgValues): Shell =>
  new Proxy(shell, {
    apply: (target, self, [first, ...values]: [unknown, ...unknown[]]) => {
      const isCommand = Array.isArray(first);
      if (isCommand && values.includes(undefined))
        throw new AppError("usage", describeMissing(task, args, first.join("…")));
      const made: unknown = Reflect.apply(target, self, [first, ...values]);
      return isCommand ? made : requireValues(made as Shell, task, args);
    },
  });

const describeMissing = ({ name }: Task, args: ArgValues, command: string): string => {
  const missing = Object.keys(args).filter((key) => args[key] === undefined);
  const [first] = missing;
  return first === undefined
    ? `task ${name}: a value in the command "${command}" is undefined; correct the task's script`
    : `task ${name}: the command "${command}" needs ${missing.map((key) => `--${key}`).join(" or ")}, which was not given; run: nightshift run ${name} --${first} <value>, or declare a default, or required: true, in the task's script`;
};
