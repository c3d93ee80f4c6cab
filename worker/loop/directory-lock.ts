import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemCode } from "../../core/errors.ts";
import { type FileLock, type LockOwner, findLockHolder, tryLock } from "../../core/file-lock.ts";
import { type Git, askWorkTree } from "../../core/git.ts";

/**
 * Where the locks of a directory lie: in its git dir (one per git worktree), else in the directory itself.
 * @throws AppError `unavailable` where git refuses to say (another owner): its lock would be another one than
 * that of whoever may look
 */
export const lockFolder = async (git: Git, dir: string): Promise<string> => {
  const gitDir = (await askWorkTree(git, ["rev-parse", "--path-format=absolute", "--git-dir"]))?.trimEnd();
  return gitDir ? join(gitDir, "nightshift") : join(dir, ".nightshift");
};

const directoryLockName = (dir: string): string =>
  `dir-${createHash("sha256").update(dir).digest("hex").slice(0, 12)}.lock`;

const refuse = (what: string, holder: LockOwner): AppError => {
  const name = /"(.*)"/.exec(holder.label)?.[1] ?? holder.label;
  return new AppError(
    "locked",
    `${what} is held by ${holder.label} (pid ${holder.pid}, since ${holder.since}); stop it with: worker stop ${name}`,
    { details: { holder } },
  );
};

const liveNeighbour = (folder: string, own: string): LockOwner | undefined => {
  let names: string[] = [];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
  return names
    .filter((name) => /^dir-[0-9a-f]{12}\.lock$/.test(name) && name !== own)
    .map((name) => findLockHolder(join(folder, name)))
    .find((holder) => holder !== undefined);
};

/** The live worker of a directory, or of the git worktree it lies in; takes nothing. */
export const findDirectoryHolder = (folder: string, dir: string): LockOwner | undefined =>
  findLockHolder(join(folder, directoryLockName(dir))) ?? findLockHolder(join(folder, "worker.lock"));

/**
 * Takes a directory for one worker: its own lock, and the lock of the whole git worktree unless sharing
 * is meant. Everything is given back when one of them is held.
 * @throws AppError `locked` (exit 75) that names the holder
 */
export const lockDirectory = (
  folder: string,
  { dir, worker, isShared }: { dir: string; worker: string; isShared: boolean },
): { release: () => void } => {
  const label = `worker "${worker}"`;
  const held: FileLock[] = [];
  const release = () => {
    for (const lock of held.toReversed()) lock.release();
  };
  const take = (name: string, what: string) => {
    const { lock, holder } = tryLock(join(folder, name), { label });
    if (lock) held.push(lock);
    else throw refuse(what, holder);
  };
  try {
    take(directoryLockName(dir), `directory ${dir}`);
    if (!isShared) {
      take("worker.lock", `the git worktree of ${dir}`);
      const neighbour = liveNeighbour(folder, directoryLockName(dir));
      if (neighbour) throw refuse(`another directory of the git worktree of ${dir}`, neighbour);
    }
    return { release };
  } catch (error) {
    release();
    throw error;
  }
};
