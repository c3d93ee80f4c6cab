import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError, systemCode } from "../../core/errors.ts";
import { type LockOwner, describeHolder, findLockHolder, readLockOwner } from "../../core/lock-owner.ts";
import { type Git, askWorkTree } from "../../core/git.ts";
import { ownFolder } from "../../core/own-folder.ts";
import type { HeldLocks } from "./held-locks.ts";

/**
 * Where the locks of a directory lie in its tree: in its git dir (one per git worktree), else in the directory
 * itself, in a folder that keeps itself out of git.
 * @throws AppError `unavailable` where git refuses to say (another owner): its lock would be another one than
 * that of whoever may look
 */
export const lockFolder = async (git: Git, dir: string): Promise<string> => {
  const gitDir = (await askWorkTree(git, ["rev-parse", "--path-format=absolute", "--git-dir"]))?.trimEnd();
  return gitDir ? join(gitDir, "nightshift") : join(dir, ".nightshift");
};

/** Where they lie beside that, out of reach of whatever the agent does to the tree. */
const homeFolder = (home: string): string => join(home, ".locks");

const directoryLockName = (dir: string): string =>
  `dir-${createHash("sha256").update(dir).digest("hex").slice(0, 12)}.lock`;

const refuse = (what: string, holder: LockOwner): AppError => {
  const name = /"(.*)"/.exec(holder.label)?.[1] ?? holder.label;
  return new AppError(
    "locked",
    `${what} is held by ${describeHolder(holder)}; stop it with: worker stop ${name}`,
    {
      details: { holder },
    },
  );
};

const listDirectoryLocks = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => /^dir-[0-9a-f]{12}\.lock$/.test(name))
      .map((name) => join(folder, name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
};

/** The git worktree that a folder lies in, told without asking git, as it is now. */
const worktreeOf = (dir: string): string | undefined => {
  if (existsSync(join(dir, ".git"))) return dir;
  return dirname(dir) === dir ? undefined : worktreeOf(dirname(dir));
};

/** Locks of other directories of the same git worktree, also of those that were taken before there was a repository. */
const listNeighbours = (home: string, folder: string, dir: string): string[] => {
  const own = directoryLockName(dir);
  const tree = worktreeOf(dir);
  const atHome = listDirectoryLocks(homeFolder(home)).filter((path) => {
    const owner = tree === undefined ? undefined : readLockOwner(path);
    return owner?.dir !== undefined && worktreeOf(owner.dir) === tree;
  });
  return [...listDirectoryLocks(folder), ...atHome].filter((path) => !path.endsWith(own));
};

/** The live worker of a directory, or of the git worktree it lies in; takes nothing. */
export const findDirectoryHolder = (home: string, folder: string, dir: string): LockOwner | undefined =>
  [
    join(homeFolder(home), directoryLockName(dir)),
    join(folder, directoryLockName(dir)),
    join(folder, "worker.lock"),
  ]
    .map((path) => findLockHolder(path))
    .find((holder) => holder !== undefined);

type Place = { home: string; dir: string; isShared: boolean };

/**
 * Takes a directory for one worker, whatever becomes of its tree: by its real path, in the workers' home. It
 * need not be there yet.
 * @throws AppError `locked` (exit 75) that names the holder
 */
export const takeDirectory = (locks: HeldLocks, { home, dir }: Place): void => {
  const path = join(homeFolder(home), directoryLockName(dir));
  locks.take(path, (holder) => refuse(`directory ${dir}`, holder));
};

/**
 * Takes the directory in its tree, too, where those of other homes look: its own lock, and the lock of the whole
 * git worktree unless sharing is meant. A tree that has become a repository meanwhile is taken as one.
 * @throws AppError `locked` (exit 75) that names the holder
 */
export const takeTree = async (
  locks: HeldLocks,
  git: Git,
  { dir, isShared }: Omit<Place, "home">,
): Promise<void> => {
  const folder = await lockFolder(git, dir);
  const plain = join(dir, ".nightshift");
  if (folder === plain) ownFolder(dir);
  locks.take(join(folder, directoryLockName(dir)), (holder) => refuse(`directory ${dir}`, holder));
  if (!isShared)
    locks.take(join(folder, "worker.lock"), (holder) => refuse(`the git worktree of ${dir}`, holder));
  // Who took it when there was no repository yet is still at work.
  const before = findLockHolder(join(plain, directoryLockName(dir)));
  if (before && !locks.isOwn(before)) throw refuse(`directory ${dir}`, before);
};

/**
 * Refuses a git worktree in which somebody works in another directory; what dead ones left there is ours to end.
 * @throws AppError `locked` that names the holder
 */
export const checkNeighbours = async (locks: HeldLocks, git: Git, { home, dir }: Place): Promise<void> => {
  for (const path of listNeighbours(home, await lockFolder(git, dir), dir)) {
    const holder = findLockHolder(path);
    if (holder) throw refuse(`another directory of the git worktree of ${dir}`, holder);
    locks.inherit(readLockOwner(path));
  }
};
