import { randomUUID } from "node:crypto";
import { endChild, spawnMarked } from "../core/child-process.ts";
import { orAfter, systemClock } from "../core/clock.ts";
import { errorText, systemCode } from "../core/errors.ts";
import { withoutUndefined } from "../core/without-undefined.ts";
import { findIdentity, type ChildIdentity } from "../core/process-identity.ts";
import { signalProgram } from "../core/process-tree.ts";
import type { SessionRequest } from "./driver.ts";
import { createLineSplitter } from "./line-splitter.ts";

/** How an agent's own process ended; its tools may live on until `end`. */
export type AgentExit = { exitCode?: number; signal?: string; stderrTail: string; startError?: string };

export type AgentProcess = {
  identity: ChildIdentity | undefined;
  /** text for stdin; dropped when the process is gone */
  write: (text: string) => void;
  closeStdin: () => void;
  /** a signal to the agent's own process only */
  signal: (signal: NodeJS.Signals) => void;
  /** after the last line was handed over; never rejects */
  exited: Promise<AgentExit>;
  /**
   * Stdin ends; an agent whose turn is over gets the time to leave by itself; then every process of its tree
   * is ended, gentle first.
   */
  end: (options?: { graceMs?: number; isTurnOver?: boolean }) => Promise<void>;
};

export type AgentProcessRequest = {
  command: string;
  args: readonly string[];
  request: Pick<SessionRequest, "dir" | "env" | "confinement">;
  onLine: (line: string) => void;
  /** whenever it prints anything, lines or parts of them */
  onOutput?: () => void;
  /** after the last line, before `exited` resolves */
  onExit?: () => void;
};

const STDERR_CHARS = 8_192;
const DRAIN_MS = 500;
const GRACE_MS = 3_000;
const LAST_WAIT_MS = 2_000;

/** Starts an agent in a process group of its own, marked, with its output cut into lines. */
export const startAgentProcess = ({
  command,
  args,
  request,
  onLine,
  onOutput,
  onExit,
}: AgentProcessRequest): AgentProcess => {
  const mark = randomUUID();
  const { child, failure } = spawnMarked({
    command,
    args,
    cwd: request.dir,
    env: request.env,
    mark,
    confinement: request.confinement,
  });
  const identity = child.pid === undefined ? undefined : findIdentity(child.pid);
  let stderrTail = "";
  const lines = createLineSplitter(onLine);
  child.stdout?.on("data", (chunk: Buffer) => {
    onOutput?.();
    lines.write(chunk);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    onOutput?.();
    stderrTail = (stderrTail + chunk.toString("utf8")).slice(-STDERR_CHARS);
  });
  child.stdin?.on("error", () => undefined); // EPIPE: it is gone; its exit tells

  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const left = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const exit = async (): Promise<AgentExit> => {
    const startError = await Promise.race([failure, left]);
    // A tool that lives on holds our pipes open, so "close" may not come: what is there is read, then we go on.
    if (!startError) await orAfter(systemClock, closed, DRAIN_MS);
    child.stdout?.destroy();
    child.stderr?.destroy();
    lines.flush();
    onExit?.();
    return withoutUndefined({
      stderrTail,
      exitCode: child.exitCode ?? undefined,
      signal: child.signalCode ?? undefined,
      startError: startError ? describeStartError(command, startError) : undefined,
    });
  };
  const exited = exit();
  const end = async ({ graceMs = GRACE_MS, isTurnOver = false } = {}) => {
    child.stdin?.end();
    if (isTurnOver) await orAfter(systemClock, exited, graceMs);
    await endChild(child, mark, { graceMs });
    // One that cannot be ended (it runs as another user) must not hold its supervisor for ever.
    await orAfter(systemClock, exited, LAST_WAIT_MS);
  };
  return {
    identity,
    write: (text) => void (child.stdin?.writable && child.stdin.write(text)),
    closeStdin: () => void child.stdin?.end(),
    signal: (signal) => void (identity && signalProgram(identity, signal)),
    exited,
    end,
  };
};

const describeStartError = (command: string, error: Error): string =>
  systemCode(error) === "ENOENT"
    ? `${command} was not found; install it, or name it in agents.<id>.command`
    : `${command} could not be started: ${errorText(error)}`;
