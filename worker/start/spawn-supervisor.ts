import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, mkdirSync, openSync, rmSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { writeFailure, writeFileDurably } from "../../core/durable-file.ts";
import { AppError } from "../../core/errors.ts";
import type { ErrorCode } from "../../core/error-codes.ts";
import { withLimitMark } from "../../core/limit-mark.ts";
import { MARKER } from "../../core/process-tree.ts";
import { builtProgram } from "../../core/version.ts";
import { LEASE_FD, leaseMarks } from "../state/lease.ts";
import type { StartRequest } from "../loop/start-request.ts";
import { type WorkerFiles, workerFiles } from "../state/worker-files.ts";
import type { WorkerState } from "../state/worker-state.ts";

/** What a supervisor tells its starter, as one JSON line on file descriptor 3. */
export type Announcement =
  | { state: WorkerState }
  | { error: { code: ErrorCode; message: string; details?: Record<string, unknown> } };

/** The file descriptor on which a detached supervisor announces itself. */
export const ANNOUNCE_FD = 3;

// A supervisor waits most of the night: a small young generation keeps fifty of them from filling the memory.
const MEMORY_FLAGS = process.versions["bun"] ? [] : ["--max-semi-space-size=1"];

const readFirstLine = async (stream: Readable): Promise<string | undefined> => {
  let text = "";
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.includes("\n")) break;
  }
  return text.includes("\n") ? text.slice(0, text.indexOf("\n")) : undefined;
};

/**
 * Starts a supervisor that outlives us: its own session, no terminal, its output in the worker's log.
 * Resolves when it holds the locks and has written its state.
 * @throws AppError what the supervisor met (`locked`, `storage-full`, …)
 */
export const spawnSupervisor = async (
  { env, home }: { env: Readonly<Record<string, string | undefined>>; home: string },
  request: StartRequest,
): Promise<WorkerState> => {
  const { child, announced } = launch({ env, home }, request);
  const state = await announced;
  child.unref();
  return state;
};

/** A supervisor that ends with its pool: what it announced, the line that keeps it going, and its end. */
export type LeasedSupervisor = {
  pid: number | undefined;
  /** rejects with what it met */
  announced: Promise<WorkerState>;
  /** says how long the lease holds; its end is the pool's */
  line: Writable;
  /** resolves when the process is gone */
  exited: Promise<void>;
};

/** Starts the supervisor of a task of the queue; it ends itself as soon as we are gone, or no longer renew its lease. */
export const spawnLeasedSupervisor = (
  ports: { env: Readonly<Record<string, string | undefined>>; home: string },
  request: StartRequest & { lease: NonNullable<StartRequest["lease"]> },
): LeasedSupervisor => {
  const { child, announced } = launch(ports, request);
  const line = child.stdio[LEASE_FD] as Writable;
  line.on("error", () => {}); // it is gone; its exit tells
  return {
    pid: child.pid,
    announced,
    line,
    exited: new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.once("error", () => resolve());
    }),
  };
};

const launch = (
  { env, home }: { env: Readonly<Record<string, string | undefined>>; home: string },
  request: StartRequest,
): { child: ChildProcess; announced: Promise<WorkerState> } => {
  const files = workerFiles(home, request.name);
  const requestPath = join(files.folder, `start-${randomUUID()}.json`);
  writeFileDurably(requestPath, JSON.stringify(request), { mode: 0o600 });
  let log: number;
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
    log = openSync(files.log, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600); // a FIFO is refused, not waited for
  } catch (error) {
    rmSync(requestPath, { force: true });
    throw writeFailure(files.log, error);
  }
  try {
    // A worker that an agent starts is not part of that agent's session: it must outlive it.
    const args = [...MEMORY_FLAGS, builtProgram("scripts/supervisor.js"), requestPath];
    const start = withLimitMark([], { command: process.execPath, args, env });
    const child = spawn(start.command, [...start.args], {
      cwd: home,
      env: { ...env, [MARKER]: request.lease ? leaseMarks(request.lease) : undefined },
      detached: true,
      stdio: ["ignore", log, log, "pipe", request.lease ? "pipe" : "ignore"],
    });
    const announced = readStart(child, { log: files.log, requestPath });
    announced.catch((error: unknown) => {
      // What a bug says of itself is written after it was told.
      if (!(error instanceof AppError && error.code === "internal")) removeEmpty(files);
    });
    return { child, announced };
  } finally {
    closeSync(log);
  }
};

/** What a start that was refused has made: a log in which nothing stands, a folder with nothing in it. */
const removeEmpty = ({ state, log, folder }: WorkerFiles): void => {
  try {
    if (existsSync(state)) return;
    if (statSync(log).size === 0) rmSync(log);
    rmdirSync(folder);
  } catch {
    // Somebody else has written there meanwhile: then it is theirs.
  }
};

const readStart = async (
  child: ChildProcess,
  { log, requestPath }: { log: string; requestPath: string },
): Promise<WorkerState> => {
  try {
    const failed = new Promise<never>((_, reject) => child.once("error", reject));
    const channel = child.stdio[ANNOUNCE_FD] as Readable;
    const line = await Promise.race([readFirstLine(channel), failed]);
    channel.destroy();
    return readAnnouncement(line, log);
  } finally {
    rmSync(requestPath, { force: true });
  }
};

const readAnnouncement = (line: string | undefined, log: string): WorkerState => {
  if (line === undefined)
    throw new AppError("unavailable", `the supervisor ended before it had started; see the end of ${log}`);
  const announcement = JSON.parse(line) as Announcement;
  if ("state" in announcement) return announcement.state;
  const { code, message, details } = announcement.error;
  throw new AppError(code, message, details ? { details } : {});
};
