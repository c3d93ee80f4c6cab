import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFileDurably } from "../../core/durable-file.ts";
import type { Git } from "../../core/git.ts";
import { putStaleLocksAside } from "../../worker/session/stale-git-locks.ts";
import { createBoundedGit } from "./bounded-git.ts";
import { type ClonePorts, defaultHead, lockClone, refreshClone } from "./clone.ts";
import { putTreeAway } from "./put-tree-away.ts";

/** Where an earlier run of the task left off. */
export type Base = { head: string | undefined; rescue: string | undefined };

export type TaskTree = {
  path: string;
  branch: string;
  /** what it began at: nothing newer means there is nothing to push */
  start: string;
  /** what of an earlier run could not be taken over */
  problem?: string;
};

type Wanted = { repo: string; name: string; branch: string; base: Base; isKept: boolean };

export const treePath = (home: string, name: string): string => join(home, "work", name);

/**
 * A work tree of its own for one run, on a branch of its own: at what an earlier run pushed, with its
 * uncommitted work, else at the head of the repository. With `isKept` the tree that is there is gone on with,
 * if it was ever whole; that asks nobody else, so a repository that is away does not matter.
 */
export const makeTaskTree = async (
  ports: ClonePorts,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<TaskTree> => {
  const path = treePath(ports.home, wanted.name);
  const kept = wanted.isKept ? await findTaskTree(ports, wanted, signal) : undefined;
  if (kept) {
    const git = createBoundedGit(ports, path, signal);
    await putStaleLocksAside(git, { sinceMs: 0 });
    await git.run(["switch", "--quiet", "--force-create", wanted.branch]);
    return kept;
  }
  const lock = await lockClone(ports, wanted.repo, signal);
  try {
    return await makeAnew(ports, wanted, signal);
  } finally {
    lock.release();
  }
};

/** The tree of a task on this machine, if it was ever whole. */
export const findTaskTree = async (
  ports: ClonePorts,
  { name, branch }: Pick<Wanted, "name" | "branch">,
  signal: AbortSignal,
): Promise<TaskTree | undefined> => {
  const path = treePath(ports.home, name);
  const start = await findStart(createBoundedGit(ports, path, signal), path);
  return start === undefined ? undefined : { path, branch, start };
};

/** Written when a tree is whole: without it, git or we were killed while it was made. */
const markOf = async (git: Git, path: string): Promise<string | undefined> => {
  const folder = existsSync(join(path, ".git"))
    ? (await git.find(["rev-parse", "--absolute-git-dir"]))?.trim()
    : undefined;
  return folder === undefined ? undefined : join(folder, "nightshift-start");
};

const findStart = async (git: Git, path: string): Promise<string | undefined> => {
  const mark = await markOf(git, path);
  return mark !== undefined && existsSync(mark) ? readFileSync(mark, "utf8").trim() : undefined;
};

const makeAnew = async (
  ports: ClonePorts,
  { repo, name, branch, base }: Wanted,
  signal: AbortSignal,
): Promise<TaskTree> => {
  const clone = await refreshClone(ports, repo, signal);
  const path = treePath(ports.home, name);
  const git = createBoundedGit(ports, path, signal);
  const isBaseThere =
    base.head !== undefined && (await clone.find(["cat-file", "-e", `${base.head}^{commit}`])) !== undefined;
  const start = await defaultHead(clone, repo);
  const isWhole = (await findStart(git, path)) !== undefined;
  const aside = await putTreeAway({ clone, git }, { path, name, isWhole });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const from = isBaseThere ? (base.head ?? start) : start;
  await clone.run(["worktree", "add", "--quiet", "-B", branch, path, from]);
  const lost =
    base.head !== undefined && !isBaseThere
      ? `the commits of the run before (${base.head.slice(0, 12)}) were never pushed`
      : await restoreRescue(git, base);
  const mark = await markOf(git, path);
  if (mark !== undefined) writeFileDurably(mark, `${start}\n`, { mode: 0o600 });
  const problem = [aside, lost].filter((one) => one !== undefined).join("; ");
  return { path, branch, start, ...(problem === "" ? {} : { problem }) };
};

/** Uncommitted work of the run before, uncommitted again; only onto the commit that it was made on. */
const restoreRescue = async (git: Git, { head, rescue }: Base): Promise<string | undefined> => {
  if (rescue === undefined) return undefined;
  const isFetched = (await git.find(["fetch", "--quiet", "--no-tags", "origin", rescue])) !== undefined;
  const parent = isFetched ? (await git.find(["rev-parse", "FETCH_HEAD^"]))?.trim() : undefined;
  const isFitting = parent !== undefined && (head === undefined || parent === head);
  if (
    isFitting &&
    (await git.find(["restore", "--source", "FETCH_HEAD", "--worktree", "--", ":/"])) !== undefined
  )
    return undefined;
  return `the uncommitted work of the run before is in ${rescue} and was not taken over`;
};
