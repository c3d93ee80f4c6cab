import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { waitForLock } from "../../core/file-lock.ts";
import { type Git, type GitEnvironment, createGit, readGitState } from "../../core/git.ts";
import { findAdmin, isWhole, markWhole } from "./whole-worktree.ts";
import { rescueWork } from "./rescue.ts";
import { EVERYTHING } from "./rescue-budget.ts";
import type { WorkerState } from "../state/worker-state.ts";

export type Worktree = NonNullable<WorkerState["worktree"]>;

/**
 * Where a worker with a worktree of its own works: beside the repository, in `<repository>.worktrees/<name>`
 * (not inside of `.git`, where many tools see nothing), on the branch `nightshift/<name>`. Makes nothing.
 * @throws AppError `usage` where there is no repository with a commit
 */
export const planWorktree = async (
  git: Git,
  { dir, name }: { dir: string; name: string },
): Promise<{ worktree: Worktree; dir: string }> => {
  const top = (await git.find(["rev-parse", "--show-toplevel"]))?.replace(/\n$/, "");
  if (!top)
    throw new AppError("usage", `${dir} is not in a git work tree; --worktree needs a git repository`);
  const head = await git.find(["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (!head) throw new AppError("usage", `${top} has no commit yet; --worktree needs one to begin at`);
  const repository = realpathSync(top);
  const prefix = (await git.run(["rev-parse", "--show-prefix"])).replace(/\/?\n$/, "");
  const path = join(dirname(repository), `${basename(repository)}.worktrees`, name);
  return { worktree: { path, branch: `nightshift/${name}`, repository }, dir: join(path, prefix) };
};

/** Makes the worktree with the worker's folder in it, or takes the one that is there; a branch that is there is gone on with. */
export const ensureWorktree = async (env: GitEnvironment, worktree: Worktree, dir: string): Promise<void> => {
  const git = createGit(worktree.repository, env);
  const common = (await commonDir(git)) ?? worktree.repository;
  // One at a time in a repository: what prunes would take the half of another's for a leftover.
  const lock = await waitForLock(join(common, "nightshift", "worktrees.lock"), "a new worktree", {
    clock: systemClock,
  });
  try {
    await makeWorktree(env, worktree, { git, common });
  } finally {
    lock.release();
  }
  mkdirSync(dir, { recursive: true }); // a folder that no commit has is missing in a new worktree
};

const makeWorktree = async (
  env: GitEnvironment,
  { path, branch, repository }: Worktree,
  { git, common }: { git: Git; common: string },
): Promise<void> => {
  const admin = findAdmin(common, path);
  const isThere = existsSync(path) && readdirSync(path).length > 0;
  if (isThere && admin !== undefined && isWhole(admin, path)) {
    if ((await commonDir(createGit(path, env))) === common) return;
    throw new AppError("conflict", `git cannot read the worktree ${path}; try: git worktree repair ${path}`);
  }
  if (isThere && admin === undefined)
    throw new AppError("conflict", `${path} exists and is not a worktree of ${repository}; move it away`);
  if (admin !== undefined) await clearAway(git, path);
  await addWorktree(git, path, branch);
  const made = findAdmin(common, path);
  if (made !== undefined) markWhole(made);
};

const clearAway = async (git: Git, path: string): Promise<void> => {
  await git.find(["worktree", "unlock", path]);
  await git.find(["worktree", "remove", "--force", "--force", path]);
  rmSync(path, { recursive: true, force: true, maxRetries: 3 });
};

const addWorktree = async (git: Git, path: string, branch: string): Promise<void> => {
  await git.run(["worktree", "prune"]);
  const isBranchThere =
    (await git.find(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`])) !== undefined;
  await git.run([
    "worktree",
    "add",
    "--quiet",
    ...(isBranchThere ? [path, branch] : ["-b", branch, path, "HEAD"]),
  ]);
};

const commonDir = async (git: Git): Promise<string | undefined> => {
  const path = (await git.find(["rev-parse", "--path-format=absolute", "--git-common-dir"]))?.trim();
  return path && existsSync(path) ? realpathSync(path) : undefined;
};

/** What would be lost with a worktree: paths that are not committed, commits that no other branch has. */
export const findUnsaved = async (
  env: GitEnvironment,
  { path, branch, repository }: Worktree,
): Promise<{ uncommitted: string[]; unmerged: string[] }> => {
  const state = existsSync(path) ? await readGitState(createGit(path, env), path) : undefined;
  // Where the worktree stands may be another branch than it began with, or none.
  const tips = [state?.head, `refs/heads/${branch}`].filter((tip) => tip !== undefined);
  const git = createGit(repository, env);
  const log = await git.find([
    "log",
    "--format=%h %s",
    ...(await existing(git, tips)),
    "--not",
    `--exclude=${branch}`,
    "--branches",
    "--remotes",
  ]);
  return {
    uncommitted: state?.changed.map((change) => change.path) ?? [],
    unmerged: log?.split("\n").filter(Boolean) ?? [],
  };
};

const existing = async (git: Git, tips: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(tips.map((tip) => git.find(["rev-parse", "--verify", "--quiet", tip])));
  return found.flatMap((id) => (id === undefined ? [] : [id.trim()]));
};

const list = (items: readonly string[]): string =>
  items.slice(0, 10).join(", ") + (items.length > 10 ? ` and ${items.length - 10} more` : "");

/**
 * Removes a worktree and its branch. What nobody else has is kept: without `isForced` nothing is removed,
 * with it uncommitted work is rescued first.
 * @returns where the branch stood, to bring it back
 * @throws AppError `conflict` that lists the work that would be lost
 */
export const removeWorktree = async (
  env: GitEnvironment,
  worktree: Worktree,
  { worker, isForced }: { worker: string; isForced: boolean },
): Promise<{ branchWasAt: string | undefined }> => {
  const { path, branch, repository } = worktree;
  const { uncommitted, unmerged } = await findUnsaved(env, worktree);
  if (!isForced && uncommitted.length + unmerged.length > 0)
    throw new AppError(
      "conflict",
      [
        `the worktree of ${worker} (${path}, branch ${branch}) holds work that is nowhere else:`,
        ...(unmerged.length > 0 ? [`  ${unmerged.length} unmerged commits: ${list(unmerged)}`] : []),
        ...(uncommitted.length > 0
          ? [`  ${uncommitted.length} uncommitted paths: ${list(uncommitted)}`]
          : []),
        `merge it (git merge ${branch}), or throw it away with: worker remove ${worker} --force`,
      ].join("\n"),
      { details: { uncommitted, unmerged } },
    );
  const git = createGit(repository, env);
  if (uncommitted.length > 0) await rescueAll(createGit(path, env), path, worker);
  const branchWasAt = (await git.find(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]))?.trim();
  if (existsSync(path)) await git.run(["worktree", "remove", ...(isForced ? ["--force"] : []), path]);
  await git.run(["worktree", "prune"]);
  if (branchWasAt !== undefined) await git.run(["branch", "--quiet", "-D", branch]);
  return { branchWasAt };
};

const rescueAll = async (git: Git, path: string, worker: string): Promise<void> => {
  const state = await readGitState(git, path);
  if (state) await rescueWork(git, { state, worker, session: 1, budget: EVERYTHING });
};
