import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";

/**
 * A second mark for processes, for programs that wipe or overwrite their environment (`env -i`, daemons that set
 * their title): the soft limit on file locks, RLIMIT_LOCKS, which Linux has not enforced since 2.4.25 (getrlimit(2)),
 * and which survives fork, exec and setsid. Set by util-linux's `prlimit`; where there is none, the environment
 * has to do. A number of it holds 31 bits of the outermost mark and 31 of the innermost, above a tag.
 */
const TAG = 1n << 62n;
const BITS = 31n;
const LOW = (1n << BITS) - 1n;

const bitsOf = (mark: string): bigint =>
  BigInt(`0x${createHash("sha256").update(mark).digest("hex").slice(0, 8)}`) & LOW;

/** The limit that says these marks, outermost first. */
const limitOf = (marks: readonly string[]): bigint =>
  TAG | (bitsOf(marks[0] ?? "") << BITS) | bitsOf(marks.at(-1) ?? "");

const readLimits = (pid: number | "self"): { soft: string; hard: string } | undefined => {
  try {
    const [, soft, hard] =
      /^Max file locks +(\w+) +(\w+)/m.exec(readFileSync(`/proc/${pid}/limits`, "latin1")) ?? [];
    return soft === undefined || hard === undefined ? undefined : { soft, hard };
  } catch {
    return undefined; // gone meanwhile, or no Linux
  }
};

/** The limit of a process where it is a mark; undefined for all others, and where it cannot be read. */
export const readLimitMark = (pid: number | "self"): bigint | undefined => {
  const soft = readLimits(pid)?.soft ?? "unlimited";
  const value = soft === "unlimited" ? 0n : BigInt(soft);
  return (value & TAG) === 0n ? undefined : value;
};

/** Whether a limit says this mark, as the outermost or the innermost one. */
export const saysMark = (limit: bigint, mark: string): boolean => {
  const bits = bitsOf(mark);
  return ((limit >> BITS) & LOW) === bits || (limit & LOW) === bits;
};

/** Where util-linux is installed; an environment may name another search path, or none. */
const PROGRAMS = ["/usr/bin/prlimit", "/bin/prlimit", "/usr/local/bin/prlimit"];

/** util-linux's `prlimit`; undefined where it is not installed. */
export const findPrlimit = (): string | undefined => PROGRAMS.find((path) => isProgram(path));

let found: { program: string | undefined } | undefined;

/** Undefined where limits cannot be marks: without the program, or under a hard limit of somebody else's. */
const findProgram = (): string | undefined => {
  if (!found) {
    const isFree = readLimits("self")?.hard === "unlimited";
    found = { program: isFree ? findPrlimit() : undefined };
  }
  return found.program;
};

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

/** Whether a command is there to be started: `prlimit` would tell of a missing one with an exit code of its own. */
export const isThere = ({ command, cwd = "", env }: Call): boolean =>
  command.includes("/")
    ? isProgram(resolve(cwd, command))
    : (env["PATH"] ?? "").split(delimiter).some((folder) => isProgram(resolve(cwd, folder, command)));

export type Call = {
  command: string;
  args: readonly string[];
  cwd?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
};

/**
 * What to start so that a program has the limit of these marks; without any, that it has none. The limit is set in
 * the new process, which then becomes the program: one that we wore ourselves, be it for a moment, would have us
 * ended by whoever looks for the marks in that moment.
 */
export const withLimitMark = (marks: readonly string[], call: Call): Pick<Call, "command" | "args"> => {
  const wanted = marks.length === 0 ? undefined : limitOf(marks);
  const program = findProgram();
  if (program === undefined || wanted === readLimitMark("self") || !isThere(call)) return call;
  return {
    command: program,
    args: [`--locks=${wanted ?? "unlimited"}:`, "--", call.command, ...call.args],
  };
};
