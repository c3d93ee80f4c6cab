import { existsSync, renameSync, rmSync } from "node:fs";
import { AppError, errorText } from "../core/errors.ts";
import { type Git, type GitState, readGitState } from "../core/git.ts";
import { EVERYTHING } from "../worker/session/rescue-budget.ts";
import { rescueWork } from "../worker/session/rescue.ts";

type Away = { path: string; name: string; isWhole: boolean };

/**
 * Removes a tree that nobody goes on with, and whatever git still has of one that is gone. Nothing of it is
 * lost: uncommitted work goes to a rescue ref of the clone, commits keep a branch or a ref, and files that are
 * not rescued (secrets, or too much) stay in the folder, which is moved aside.
 * @returns what a person should know of it
 * @throws AppError for a tree whose work cannot be rescued now
 */
export const putTreeAway = async (
  { clone, git }: { clone: Git; git: Git },
  { path, name, isWhole }: Away,
): Promise<string | undefined> => {
  const left = existsSync(path) ? await rescueTree(git, { path, name, isWhole }) : [];
  let aside: string | undefined;
  if (left.length > 0) {
    aside = freePath(path);
    renameSync(path, aside);
  }
  await removeTree(clone, path);
  return aside === undefined
    ? undefined
    : `an older tree of this task holds files that are not rescued (${left.slice(0, 5).join(", ")}); it was moved to ${aside}`;
};

/** Beside a tree, where nobody works: that it was made to its end, and at which commit it began. */
export const startFile = (path: string): string => `${path}.start`;

/** The folder, and git's record of it: the one of a killed `worktree add` is locked. */
export const removeTree = async (clone: Git, path: string): Promise<void> => {
  rmSync(startFile(path), { force: true });
  rmSync(path, { recursive: true, force: true });
  await clone.find(["worktree", "unlock", path]);
  await clone.find(["worktree", "remove", "--force", "--force", path]);
  await clone.run(["worktree", "prune"]);
};

/** @returns what is not rescued */
const rescueTree = async (git: Git, { path, name, isWhole }: Away): Promise<string[]> => {
  let state: GitState | undefined;
  try {
    state = existsSync(`${path}/.git`) ? await readGitState(git, path) : undefined;
    if (state === undefined) return isWhole ? [path] : [];
    if (state.head !== undefined) await keepCommits(git, name, state.head);
    if (state.changed.length === 0) return [];
    const { leftOut, unsaved } = await rescueWork(git, {
      state,
      worker: name,
      session: 1,
      budget: EVERYTHING,
    });
    return [...leftOut, ...unsaved];
  } catch (error) {
    // Nobody has worked in a tree that was never whole.
    if (!isWhole) return [];
    throw new AppError(
      "unavailable",
      `cannot rescue what an older run left in ${path}: ${errorText(error)}; move it away by hand`,
      { cause: error },
    );
  }
};

/** Commits that no branch has would be thrown away by git some day. */
const keepCommits = async (git: Git, name: string, head: string): Promise<void> => {
  const found = await git.run([
    "for-each-ref",
    "--count=1",
    "--contains",
    head,
    "--format=%(refname)",
    "refs/heads",
    "refs/remotes",
  ]);
  if (found.trim() === "")
    await git.run(["update-ref", `refs/nightshift/kept/${name}/${head.slice(0, 12)}`, head]);
};

const freePath = (path: string): string => {
  for (let number = 1; ; number++) if (!existsSync(`${path}.kept-${number}`)) return `${path}.kept-${number}`;
};
