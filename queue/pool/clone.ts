import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { type FileLock, tryLock } from "../../core/file-lock.ts";
import { type Git, type GitEnvironment, createGit } from "../../core/git.ts";

export type ClonePorts = {
  clock: Clock;
  env: GitEnvironment;
  /** where clones and work trees lie */
  home: string;
};

const LOCK_POLL_MS = 100;

const waitForLock = async (clock: Clock, path: string, signal: AbortSignal): Promise<FileLock> => {
  for (;;) {
    const { lock } = tryLock(path, { label: "pool" });
    if (lock) return lock;
    await clock.sleep(LOCK_POLL_MS, signal);
    if (signal.aborted) throw new AppError("interrupted", `stopped while waiting for ${path}`);
  }
};

const clonePath = (home: string, repo: string): string =>
  join(home, "clones", `${createHash("sha256").update(repo).digest("hex").slice(0, 16)}.git`);

/** Longer than any git holds the locks that agents' git commands share with ours. */
const STALE_MS = 60_000;

/**
 * What a git that was killed while it fetched left locked; whoever calls has the clone's own lock. Only a
 * fetch writes what was fetched; the other two files agents may be changing.
 */
const removeStaleLocks = (clone: string, nowMs: number): void => {
  const fetched = join(clone, "refs/remotes");
  const names = existsSync(fetched) ? readdirSync(fetched, { recursive: true, encoding: "utf8" }) : [];
  for (const name of names) if (name.endsWith(".lock")) rmSync(join(fetched, name), { force: true });
  for (const path of [join(clone, "packed-refs.lock"), join(clone, "config.lock")]) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && nowMs - stat.mtimeMs > STALE_MS) rmSync(path, { force: true });
  }
};

/** One bare clone of each repository, shared by all tasks of this machine; only what is new is fetched. */
const refreshClone = async ({ clock, env, home }: ClonePorts, repo: string): Promise<Git> => {
  const path = clonePath(home, repo);
  if (!existsSync(join(path, "HEAD"))) {
    rmSync(path, { recursive: true, force: true }); // half made by a killed pool
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await createGit(dirname(path), env).run(["init", "--quiet", "--bare", path]);
    // A server that has stopped sending must not hold a slot for ever.
    await createGit(path, env).run(["config", "http.lowSpeedLimit", "1000"]);
    await createGit(path, env).run(["config", "http.lowSpeedTime", "60"]);
  }
  const git = createGit(path, env);
  removeStaleLocks(path, clock.now());
  if ((await git.find(["config", "remote.origin.url"]))?.trim() !== repo)
    await git.run(["config", "remote.origin.url", repo]);
  const what = ["--quiet", "--prune", "--no-tags", "origin", "+refs/heads/*:refs/remotes/origin/*"];
  await git.run(["fetch", ...what]);
  return git;
};

/** The commit at which new work on a repository begins. @throws AppError `bad-data` for an empty one */
const defaultHead = async (git: Git, repo: string): Promise<string> => {
  const answer = await git.run(["ls-remote", "--symref", "origin", "HEAD"]);
  const head = /^([0-9a-f]{40,64})\tHEAD$/m.exec(answer)?.[1];
  if (head) return head;
  throw new AppError("bad-data", `${repo} has no commit to begin at`);
};

/** Where an earlier run of the task left off. */
export type Base = { head: string | undefined; rescue: string | undefined };

export type TaskTree = {
  path: string;
  git: Git;
  branch: string;
  /** what it began at: nothing newer means there is nothing to push */
  start: string;
  /** what of an earlier run could not be taken over */
  problem?: string;
};

/**
 * A work tree of its own for one run, on a branch of its own: at what an earlier run pushed, with its
 * uncommitted work, else at the head of the repository. With `isKept` the tree that is there is gone on with.
 */
export const makeTaskTree = async (
  ports: ClonePorts,
  {
    repo,
    name,
    branch,
    base,
    isKept,
  }: { repo: string; name: string; branch: string; base: Base; isKept: boolean },
  signal: AbortSignal,
): Promise<TaskTree> => {
  const lock = await waitForLock(ports.clock, `${clonePath(ports.home, repo)}.lock`, signal);
  try {
    const clone = await refreshClone(ports, repo);
    const path = join(ports.home, "work", name);
    const git = createGit(path, ports.env);
    if (isKept && existsSync(join(path, ".git"))) {
      await git.run(["switch", "--quiet", "--force-create", branch]);
      return { path, git, branch, start: await defaultHead(clone, repo) };
    }
    const isBaseThere =
      base.head !== undefined &&
      (await clone.find(["cat-file", "-e", `${base.head}^{commit}`])) !== undefined;
    const first = await defaultHead(clone, repo);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await clone.run(["worktree", "prune"]);
    await clone.run([
      "worktree",
      "add",
      "--quiet",
      "-B",
      branch,
      path,
      isBaseThere ? (base.head ?? first) : first,
    ]);
    const problem =
      base.head !== undefined && !isBaseThere
        ? `the commits of the run before (${base.head.slice(0, 12)}) were never pushed`
        : await restoreRescue(git, base);
    return { path, git, branch, start: first, ...(problem === undefined ? {} : { problem }) };
  } finally {
    lock.release();
  }
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

/** Removes a work tree whose work is elsewhere. */
export const removeTaskTree = async (ports: ClonePorts, { path, git, branch }: TaskTree): Promise<void> => {
  const common = (await git.find(["rev-parse", "--path-format=absolute", "--git-common-dir"]))?.trim();
  rmSync(path, { recursive: true, force: true });
  if (common === undefined) return;
  const clone = createGit(common, ports.env);
  await clone.find(["worktree", "prune"]);
  await clone.find(["branch", "--quiet", "-D", branch]);
};
