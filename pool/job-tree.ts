import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeFileDurably } from "../core/durable-file.ts";
import type { Git } from "../core/git.ts";
import { readFileIfThere } from "../core/read-file.ts";
import { putStaleLocksAside } from "../worker/session/stale-git-locks.ts";
import { createBoundedGit } from "./bounded-git.ts";
import { type ClonePorts, defaultHead, lockClone, refreshClone } from "./clone.ts";
import { putTreeAway, startFile } from "./put-tree-away.ts";

/** Where an earlier run of the task left off. */
export type Base = { head: string | undefined; rescue: string | undefined };

export type JobTree = {
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
export const makeJobTree = async (
  ports: ClonePorts,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<JobTree> => {
  const path = treePath(ports.home, wanted.name);
  const kept = wanted.isKept ? findJobTree(ports.home, wanted) : undefined;
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

/** The tree of a task on this machine, if it is there and was ever whole. */
export const findJobTree = (
  home: string,
  { name, branch }: Pick<Wanted, "name" | "branch">,
): JobTree | undefined => {
  const path = treePath(home, name);
  const start = existsSync(join(path, ".git")) ? findStart(path) : undefined;
  return start === undefined ? undefined : { path, branch, start };
};

/** Written when a tree is whole: without it, git or we were killed while it was made. */
const findStart = (path: string): string | undefined => readFileIfThere(startFile(path))?.trim();

const makeAnew = async (
  ports: ClonePorts,
  { repo, name, branch, base }: Wanted,
  signal: AbortSignal,
): Promise<JobTree> => {
  const clone = await refreshClone(ports, repo, signal);
  const path = treePath(ports.home, name);
  const git = createBoundedGit(ports, path, signal);
  const isBaseThere =
    base.head !== undefined && (await clone.find(["cat-file", "-e", `${base.head}^{commit}`])) !== undefined;
  const start = await defaultHead(clone, repo);
  const isWhole = findStart(path) !== undefined;
  const aside = await putTreeAway({ clone, git }, { path, name, isWhole });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const from = isBaseThere ? (base.head ?? start) : start;
  await clone.run(["worktree", "add", "--quiet", "-B", branch, path, from]);
  const lost =
    base.head !== undefined && !isBaseThere
      ? `the commits of the run before (${base.head.slice(0, 12)}) were never pushed`
      : await restoreRescue(git, base);
  writeFileDurably(startFile(path), `${start}\n`, { mode: 0o600 });
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
