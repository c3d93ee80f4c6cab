import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

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

/** The limit of a process where it is a mark; undefined for all others, and where it cannot be read. */
export const readLimitMark = (pid: number | "self"): bigint | undefined => {
  try {
    const soft = /^Max file locks +(\d+) /m.exec(readFileSync(`/proc/${pid}/limits`, "latin1"))?.[1];
    const value = soft === undefined ? 0n : BigInt(soft);
    return (value & TAG) === 0n ? undefined : value;
  } catch {
    return undefined; // gone meanwhile, or no Linux
  }
};

/** Whether a limit says this mark, as the outermost or the innermost one. */
export const saysMark = (limit: bigint, mark: string): boolean => {
  const bits = bitsOf(mark);
  return ((limit >> BITS) & LOW) === bits || (limit & LOW) === bits;
};

let isSupported = process.platform === "linux";

const setOwn = (soft: bigint | undefined): void => {
  const { status } = spawnSync("prlimit", ["--pid", String(process.pid), `--locks=${soft ?? "unlimited"}:`], {
    stdio: "ignore",
    timeout: 5_000,
  });
  if (status !== 0) isSupported = false; // not there, or not allowed
};

/**
 * Starts a child that has the limit of these marks; without any, one that has none. The limit is our own while the
 * child is forked, in one go, so that nothing else of ours is born with it.
 */
export const withLimitMark = <T>(marks: readonly string[], start: () => T): T => {
  const own = isSupported ? readLimitMark("self") : undefined;
  const wanted = marks.length === 0 ? undefined : limitOf(marks);
  if (!isSupported || wanted === own) return start();
  setOwn(wanted);
  try {
    return start();
  } finally {
    setOwn(own);
  }
};
