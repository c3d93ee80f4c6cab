import { AppError, errorText } from "../core/errors.ts";
import { type Git, type GitState, readGitState } from "../core/git.ts";
import { rescueRefs } from "../worker/session/rescue-refs.ts";
import { rescueWork } from "../worker/session/rescue.ts";
import { EVERYTHING } from "../worker/session/rescue-budget.ts";
import type { RunNote } from "../queue/job.ts";

export type Pushed = Pick<RunNote, "branch" | "head" | "rescue"> & {
  /** everything that was done is in the repository it came from */
  isSafe: boolean;
  problem?: string;
};

/**
 * Pushes what a run has so far to the repository it came from: commits to the run's own branch, uncommitted
 * work to a ref of its own. Both carry the run's token, so a host that comes back late overwrites nothing.
 */
export const pushWork = async (
  git: Git,
  {
    path,
    branch,
    start,
    name,
    token,
  }: { path: string; branch: string; start: string; name: string; token: number },
): Promise<Pushed> => {
  const pushed: Pushed = { isSafe: true };
  try {
    const state = await readGitState(git, path);
    if (!state?.head) throw new AppError("not-found", `${path} is no longer a git work tree with a commit`);
    if (state.head !== start) {
      await git.run(["push", "--quiet", "--force", "origin", `${state.head}:refs/heads/${branch}`]);
      pushed.branch = branch;
      pushed.head = state.head;
    }
    const rescued = state.changed.length > 0 ? await findRescue(git, { state, name }) : undefined;
    pushed.rescue = "";
    if (rescued !== undefined) {
      pushed.rescue = `refs/nightshift/rescue/${name}-${token}`;
      await git.run(["push", "--quiet", "--force", "origin", `${rescued}:${pushed.rescue}`]);
    }
    return pushed;
  } catch (error) {
    return { ...pushed, isSafe: false, problem: `could not push: ${errorText(error)}` };
  }
};

/** A commit with what is uncommitted: a new one, or the one that the session's own rescue made of the same. */
const findRescue = async (
  git: Git,
  { state, name }: { state: GitState; name: string },
): Promise<string | undefined> => {
  const { saved } = await rescueWork(git, { state, worker: name, session: 1, budget: EVERYTHING });
  const made = saved.find(({ repository }) => repository === "");
  return made?.commit ?? (await rescueRefs(git, name)).at(-1)?.ref;
};
