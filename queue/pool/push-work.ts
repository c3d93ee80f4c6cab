import { errorText } from "../../core/errors.ts";
import { type Git, readGitState } from "../../core/git.ts";
import { rescueWork } from "../../tasks/session/rescue.ts";
import type { RunNote } from "../hold-lease.ts";

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
  const state = await readGitState(git, path);
  if (!state?.head) return { isSafe: true };
  const pushed: Pushed = { isSafe: true };
  try {
    if (state.head !== start) {
      await git.run(["push", "--quiet", "--force", "origin", `${state.head}:refs/heads/${branch}`]);
      pushed.branch = branch;
      pushed.head = state.head;
    }
    if (state.changed.length > 0) {
      const ref = `refs/nightshift/rescue/${name}-${token}`;
      const { saved } = await rescueWork(git, { state, worker: name, session: 1 });
      const last = saved.find(({ repository }) => repository === "");
      if (last) {
        await git.run(["push", "--quiet", "--force", "origin", `${last.commit}:${ref}`]);
        pushed.rescue = ref;
      }
    }
    return pushed;
  } catch (error) {
    return { ...pushed, isSafe: false, problem: `could not push: ${errorText(error)}` };
  }
};
