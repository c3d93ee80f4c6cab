import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { orAfter, systemClock } from "./clock.ts";
import { AppError, errorText, systemCode } from "./errors.ts";
import type { Confinement } from "./confinement.ts";
import { findIdentity } from "./process-identity.ts";
import { isThere, withLimitMark } from "./limit-mark.ts";
import { MARKER, endMarked, nestMark } from "./process-tree.ts";

export type ChildRequest = {
  command: string;
  args?: readonly string[];
  cwd: string;
  /** the whole environment of the child */
  env: Readonly<Record<string, string | undefined>>;
  /** text for its standard input; without it, stdin is closed */
  input?: string;
  /** after this it is ended with its whole tree; no limit without it */
  timeoutMs?: number;
  /** how long SIGTERM may take before SIGKILL */
  graceMs?: number;
  signal?: AbortSignal;
  /** bytes kept of stdout and of stderr, the last ones; default 4 MiB each */
  maxOutputBytes?: number;
  onOutput?: (chunk: string, stream: "stdout" | "stderr") => void;
  /** value of the environment marker; a fresh one by default */
  mark?: string;
  /** where it runs; on the open machine without one */
  confinement?: Confinement | undefined;
};

/** How a child came to its end: one shape for success, failure, timeout, abort and "not there". */
export type ChildResult = {
  /** ran to its end with exit code 0 */
  isOk: boolean;
  exitCode: number | undefined;
  signal: string | undefined;
  stdout: string;
  stderr: string;
  isTimedOut: boolean;
  isAborted: boolean;
  /** the program could not be started at all */
  isMissing: boolean;
  /** in words, when it is not ok */
  problem: string | undefined;
  durationMs: number;
};

const NEVER_STARTED = {
  isOk: false,
  exitCode: undefined,
  signal: undefined,
  stdout: "",
  stderr: "",
  isTimedOut: false,
  isAborted: false,
  isMissing: true,
} as const;

const DRAIN_MS = 1_000;
const LAST_WAIT_MS = 2_000;

/**
 * Runs a program to its end in its own process group, marked, with its output captured. Whatever it left
 * running (in other groups and sessions too) is ended before this resolves. Never rejects for what the child does.
 */
export const runChild = async (request: ChildRequest): Promise<ChildResult> => {
  const startedAt = performance.now();
  const mark = request.mark ?? randomUUID();
  let started: ReturnType<typeof spawnMarked>;
  try {
    started = spawnMarked({ ...request, mark });
  } catch (error) {
    return { ...NEVER_STARTED, problem: errorText(error), durationMs: performance.now() - startedAt };
  }
  const { child, failure } = started;
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const limit = request.maxOutputBytes ?? 4 * 1024 * 1024;
  const stdout = new TailBuffer(limit);
  const stderr = new TailBuffer(limit);
  collect(child.stdout, stdout, (text) => request.onOutput?.(text, "stdout"));
  collect(child.stderr, stderr, (text) => request.onOutput?.(text, "stderr"));
  child.stdin?.on("error", () => {}); // EPIPE: it ended without reading; its exit code tells
  child.stdin?.end(request.input ?? "");

  const limits = watchLimits(request);
  const exited = exitOf(child, failure);
  const exit = await Promise.race([exited, limits.reached]);
  limits.dispose(); // what is ended from here on was not too slow
  const graceMs = request.graceMs ?? 2_000;
  // Also after a clean exit: background processes hold our pipes and outlive the group.
  await endChild(child, mark, { graceMs: exit.isDone ? Math.min(graceMs, 500) : graceMs });
  const final = exit.isDone ? exit : ((await orAfter(systemClock, exited, LAST_WAIT_MS)) ?? exit);
  // Its whole tree is gone, so the pipes end: what they still hold is read before the result is made.
  await orAfter(systemClock, closed, DRAIN_MS);
  child.stdout?.destroy();
  child.stderr?.destroy();
  const isTimedOut = limits.state === "timeout";
  const isAborted = limits.state === "aborted";
  const isMissing = final.error !== undefined;
  const isOk = final.exitCode === 0 && !isTimedOut && !isAborted;
  return {
    isOk,
    exitCode: final.exitCode,
    signal: final.signal,
    stdout: stdout.text(),
    stderr: stderr.text(),
    isTimedOut,
    isAborted,
    isMissing,
    problem: isOk ? undefined : describe(request, { ...final, isTimedOut, isAborted }),
    durationMs: performance.now() - startedAt,
  };
};

type MarkedRequest = Pick<ChildRequest, "command" | "args" | "env" | "confinement"> & {
  cwd?: string;
  mark: string;
};

/**
 * Starts a program in its own process group with the environment marker; the caller watches and ends it.
 * @throws AppError `unavailable` when the system takes no such arguments or environment at all
 */
export const spawnMarked = (request: MarkedRequest): { child: ChildProcess; failure: Promise<Error> } => {
  const { command, args = [], cwd, env, mark, confinement } = request;
  try {
    const marks = nestMark(env, mark);
    const call = { command, args, cwd, env };
    // What is not there is told by the system; a sandbox would say it in words of its own.
    const inside = confinement && isThere(call) ? { ...call, ...confinement.wrap(call) } : call;
    const start = withLimitMark(marks.split(":"), inside);
    const child = spawn(start.command, [...start.args], {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...env, [MARKER]: marks },
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    return { child, failure: new Promise((resolve) => child.once("error", resolve)) };
  } catch (error) {
    // Most failures come as an event; these are thrown (E2BIG, a NUL in an argument).
    const words =
      systemCode(error) === "E2BIG" ? "its arguments and environment are too long" : errorText(error);
    throw new AppError("unavailable", `${command} could not be started: ${words}`, { cause: error });
  }
};

/**
 * Ends a program that was started with a mark, and its whole tree. One that wiped the mark out of its
 * environment (`env -i`, `sudo`) is ended with its process group: as long as it is our child and not gone,
 * both numbers are its own. Returns in the end even when it could not be ended (another user's process).
 */
export const endChild = async (
  child: ChildProcess,
  mark: string,
  { graceMs }: { graceMs: number },
): Promise<void> => {
  await endMarked(mark, { clock: systemClock, graceMs });
  for (const [signal, waitMs] of [["SIGTERM", graceMs] as const, ["SIGKILL", LAST_WAIT_MS] as const]) {
    const isGone = child.exitCode !== null || child.signalCode !== null;
    if (child.pid === undefined || isGone || findIdentity(child.pid) === undefined) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    if (!signalGroup(child.pid, signal)) return;
    await orAfter(systemClock, gone, waitMs);
  }
};

const signalGroup = (leader: number, signal: NodeJS.Signals): boolean => {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (error) {
    if (systemCode(error) === "ESRCH" || systemCode(error) === "EPERM") return false;
    throw error;
  }
};

type Exit = { isDone: boolean; exitCode: number | undefined; signal: string | undefined; error?: Error };

const exitOf = (child: ChildProcess, failure: Promise<Error>): Promise<Exit> => {
  const exited = new Promise<Exit>((resolve) => {
    const done = () =>
      resolve({ isDone: true, exitCode: child.exitCode ?? undefined, signal: child.signalCode ?? undefined });
    if (child.exitCode !== null || child.signalCode !== null) done();
    else child.once("exit", () => setImmediate(done));
  });
  const failed = failure.then((error) => ({ isDone: true, exitCode: undefined, signal: undefined, error }));
  return Promise.race([exited, failed]);
};

const watchLimits = ({ timeoutMs, signal }: ChildRequest) => {
  const limits = {
    state: "none" as "none" | "timeout" | "aborted",
    reached: new Promise<Exit>(() => {}),
    dispose: () => {},
  };
  limits.reached = new Promise((resolve) => {
    const reach = (state: "timeout" | "aborted") => () => {
      limits.state = state;
      resolve({ isDone: false, exitCode: undefined, signal: undefined });
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(reach("timeout"), timeoutMs);
    const onAbort = reach("aborted");
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    limits.dispose = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
  });
  return limits;
};

const describe = (
  { command, timeoutMs, cwd }: ChildRequest,
  exit: Exit & { isTimedOut: boolean; isAborted: boolean },
): string => {
  if (exit.error)
    return systemCode(exit.error) === "ENOENT"
      ? `${command} was not found (working directory ${cwd})`
      : `${command} could not be started: ${errorText(exit.error)}`;
  if (exit.isTimedOut) return `${command} was ended after ${timeoutMs} ms`;
  if (exit.isAborted) return `${command} was interrupted`;
  return exit.signal ? `${command} was ended by ${exit.signal}` : `${command} exited with ${exit.exitCode}`;
};

const collect = (stream: Readable | null, buffer: TailBuffer, onText: (text: string) => void): void => {
  const decoder = new StringDecoder("utf8");
  stream?.on("data", (chunk: Buffer) => {
    buffer.push(chunk);
    onText(decoder.write(chunk));
  });
};

/** Keeps the last `limit` bytes, and says that something was cut. */
class TailBuffer {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #cut = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (
      let first = this.#chunks[0];
      first && this.#bytes - first.length >= this.#limit;
      first = this.#chunks[0]
    ) {
      this.#chunks.shift();
      this.#bytes -= first.length;
      this.#cut += first.length;
    }
  }

  text(): string {
    const all = Buffer.concat(this.#chunks);
    const excess = Math.max(0, all.length - this.#limit);
    const cut = this.#cut + excess;
    const kept = all.subarray(excess).toString("utf8");
    return cut === 0 ? kept : `[${cut} bytes cut]\n${kept}`;
  }
}
