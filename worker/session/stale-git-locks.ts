import {
  type Stats,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { Git } from "../../core/git.ts";
import { isWithin } from "../../core/is-within.ts";

/**
 * Lock files that a killed git left, put aside so that the next session can commit. Only those that were
 * made since `sinceMs` (in the time of the dead sessions), and only while no git at all is at work in the
 * repository; git writes no owner into its locks, so in doubt they stay. Linux only: elsewhere nobody can
 * tell cheaply where other processes work.
 * @returns the locks that were put aside
 */
export const putStaleLocksAside = async (git: Git, { sinceMs }: { sinceMs: number }): Promise<string[]> => {
  if (process.platform !== "linux") return [];
  const where = await git.find([
    "rev-parse",
    "--path-format=absolute",
    "--git-dir",
    "--git-common-dir",
    "--show-toplevel",
    "--symbolic-full-name",
    "HEAD",
  ]);
  const [gitDir, commonDir, top, head] = where?.split("\n") ?? [];
  if (!gitDir || !commonDir || !top) return [];
  const locks = [
    join(gitDir, "index.lock"),
    join(gitDir, "HEAD.lock"),
    join(commonDir, "packed-refs.lock"),
    ...(head?.startsWith("refs/") ? [join(commonDir, `${head}.lock`)] : []),
  ].filter((path) => isFrom(sinceMs, statSync(path, { throwIfNoEntry: false })));
  if (locks.length === 0 || isGitAtWork([top, gitDir, commonDir])) return [];
  const folder = join(gitDir, "nightshift", "stale-locks");
  mkdirSync(folder, { recursive: true });
  return locks.filter((path) => moveAside(path, folder));
};

const isFrom = (sinceMs: number, stat: Stats | undefined): boolean =>
  stat !== undefined && stat.mtimeMs >= sinceMs;

const moveAside = (path: string, folder: string): boolean => {
  if (!existsSync(path)) return false;
  renameSync(path, join(folder, `${basename(path)}-${Math.round(statSync(path).mtimeMs)}`));
  return true;
};

/** Whether any git process works in one of these folders, ours or not. */
const isGitAtWork = (folders: readonly string[]): boolean =>
  readdirSync("/proc").some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      if (!readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("git")) return false;
      const cwd = readlinkSync(`/proc/${pid}/cwd`);
      return folders.some((folder) => isWithin(cwd, folder));
    } catch {
      return false; // gone meanwhile, or of another user whose locks are not ours either
    }
  });
