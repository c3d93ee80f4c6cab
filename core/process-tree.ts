import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import type { Clock } from "./clock.ts";
import { systemCode } from "./errors.ts";
import { readLimitMark, saysMark } from "./limit-mark.ts";
import { type ChildIdentity, findIdentity, isAlive } from "./process-identity.ts";

/**
 * The environment variable that marks every process of a session. It survives fork, exec, setsid and
 * re-parenting; names, terminals and groups do not (facts: agents run tools in groups of their own).
 */
export const MARKER = "NIGHTSHIFT_SESSION_MARK";

const listLinuxPids = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const PREFIX = `${MARKER}=`;

/** The marker's value for a child of an environment: marks nest, so that an outer owner finds inner children too. */
export const nestMark = (env: Readonly<Record<string, string | undefined>>, mark: string): string => {
  const outer = env[MARKER];
  return outer ? `${outer}:${mark}` : mark;
};

const marksOf = (entries: readonly string[]): string[] =>
  entries
    .find((entry) => entry.startsWith(PREFIX))
    ?.slice(PREFIX.length)
    .split(":") ?? [];

type Marked = { pid: number; marks: string[]; limit?: bigint };

const readEnvironment = (pid: number): string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch (error) {
    // Gone meanwhile, or closed to us.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(systemCode(error) ?? "")) return [];
    throw error;
  }
};

const readMarksLinux = (pid: number): Marked[] => {
  const marks = marksOf(readEnvironment(pid));
  if (marks.length > 0) return [{ pid, marks }];
  const limit = readLimitMark(pid);
  return limit !== undefined && isOursToEnd(pid) ? [{ pid, marks, limit }] : [];
};

/** What runs as another user by now (sudo) has the limit, too, and would not be ended. */
const isOursToEnd = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const hasMark = ({ marks, limit }: Marked, mark: string): boolean =>
  marks.includes(mark) || (limit !== undefined && saysMark(limit, mark));

/** macOS has no /proc: `ps -E` prints the environment of the user's own processes behind the command. */
const listMarkedDarwin = (): Marked[] =>
  execFileSync("/bin/ps", ["-axEww", "-o", "pid=,command="], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  })
    .split("\n")
    .map((line) => ({ pid: Number.parseInt(line, 10), marks: marksOf(line.split(" ")) }))
    .filter(({ pid, marks }) => Number.isInteger(pid) && marks.length > 0);

const MAX_PASSES = 8;

/** Looks again at what was born while it looked: a chain of short-lived processes would slip through one pass. */
const listMarkedLinux = (): Marked[] => {
  const looked = new Set<number>();
  const found: Marked[] = [];
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const born = listLinuxPids().filter((pid) => !looked.has(pid));
    if (born.length === 0) break;
    for (const pid of born) {
      looked.add(pid);
      found.push(...readMarksLinux(pid));
    }
  }
  return found;
};

const listMarked = (): Marked[] =>
  (process.platform === "linux" ? listMarkedLinux() : listMarkedDarwin()).filter(
    ({ pid }) => pid !== process.pid,
  );

/** Every live process, ourselves excepted, whose environment carries this mark (alone or nested). */
export const findMarked = (mark: string): ChildIdentity[] =>
  listMarked()
    .filter((one) => hasMark(one, mark))
    .map(({ pid }) => findIdentity(pid))
    .filter((identity) => identity !== undefined);

/** Which marks live processes carry, ourselves excepted: one scan for many sessions. */
export type LiveMarks = { has: (mark: string) => boolean };

export const listLiveMarks = (): LiveMarks => {
  const found = listMarked();
  return { has: (mark) => found.some((one) => hasMark(one, mark)) };
};

/** Sends a signal to exactly this process; false when it is gone (a reused pid is never signalled). */
export const signalProcess = (identity: ChildIdentity, signal: NodeJS.Signals): boolean => {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if (systemCode(error) === "ESRCH") return false;
    throw error;
  }
};

/** Name of the file that a process runs; undefined where it is gone, or closed to us. */
const programOf = (pid: number): string | undefined => {
  try {
    return process.platform === "linux" ? basename(readlinkSync(`/proc/${pid}/exe`)) : undefined;
  } catch {
    return undefined;
  }
};

const parentOf = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
};

const firstChild = (pid: number): number | undefined => {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    return child ? Number(child) : undefined;
  } catch {
    return undefined; // gone, or closed to us
  }
};

/** The program that a sandbox holds, or the process itself where it holds none. */
const heldBy = (pid: number): number => {
  const program = programOf(pid);
  if (program === "bwrap") {
    const child = firstChild(pid);
    return child === undefined ? pid : heldBy(child);
  }
  // A pid namespace begins with a shell that counts its processes, and starts the sandbox.
  const shell = program === "unshare" ? firstChild(pid) : undefined;
  const sandbox = shell === undefined ? undefined : firstChild(shell);
  return sandbox === undefined ? pid : heldBy(sandbox);
};

/** Sends a signal to the program that was started as this process, be it in a sandbox or not; false when it is gone. */
export const signalProgram = (identity: ChildIdentity, signal: NodeJS.Signals): boolean => {
  const held = heldBy(identity.pid);
  const program = held === identity.pid ? identity : findIdentity(held);
  return program !== undefined && signalProcess(program, signal);
};

export type EndedProcesses = { ended: ChildIdentity[]; killed: ChildIdentity[]; survivors: ChildIdentity[] };

/**
 * A process that holds a sandbox open, and leaves with the program in it: told to end first, it would take the
 * program along before that has had its time.
 */
const isKeeper = (pid: number): boolean => {
  const program = programOf(pid);
  if (program === "bwrap" || program === "unshare") return true;
  const parent = parentOf(pid);
  return parent !== undefined && programOf(parent) === "unshare";
};

const POLL_MS = 20;
const KILL_WAIT_MS = 5_000;

/**
 * Ends every process that carries the mark: SIGTERM to each, then, for those that are left after
 * `graceMs`, SIGKILL, again and again until a scan finds none (a process may fork while it is ended).
 * Nothing without the mark is ever signalled.
 */
export const endMarked = async (
  mark: string,
  { clock, graceMs = 2_000 }: { clock: Clock; graceMs?: number },
): Promise<EndedProcesses> => {
  const seen = new Map<number, ChildIdentity>();
  const killed = new Map<number, ChildIdentity>();
  const told = new Set<string>();
  const started = clock.elapsed();
  let emptyScans = 0;
  for (;;) {
    const left = findMarked(mark);
    for (const identity of left) seen.set(identity.pid, identity);
    const waited = clock.elapsed() - started;
    emptyScans = left.length === 0 ? emptyScans + 1 : 0;
    if (emptyScans >= scansNeeded(seen.size) || waited > graceMs + KILL_WAIT_MS)
      return { ended: [...seen.values()], killed: [...killed.values()], survivors: left };
    for (const identity of left) {
      const key = `${identity.pid}:${identity.startTime}`;
      if (waited >= graceMs) {
        killed.set(identity.pid, identity);
        signalProcess(identity, "SIGKILL");
      } else if (!told.has(key) && !isKeeper(identity.pid)) {
        told.add(key);
        signalProcess(identity, "SIGTERM");
        // A stopped process sees no SIGTERM before it is continued.
        signalProcess(identity, "SIGCONT");
      }
    }
    // A chain of forks is outrun only by looking again at once.
    await clock.sleep(waited < graceMs ? POLL_MS : 1);
  }
};

/** A process between fork and exec shows no environment for a moment: where some were seen, one empty scan proves nothing. */
const scansNeeded = (seen: number): number => (seen === 0 ? 1 : 2);
