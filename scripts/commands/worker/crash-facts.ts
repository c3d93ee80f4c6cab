import { plural } from "../../../core/plural.ts";
import { errorText } from "../../../core/errors.ts";
import { createGit, readGitState } from "../../../core/git.ts";
import type { Environment } from "../../../core/paths.ts";
import { findMarked } from "../../../core/process-tree.ts";
import type { ListedWorker } from "../../../worker/state/worker-store.ts";

/** What a supervisor that was killed could not write down any more. */
export type CrashFacts = {
  /** made since the session began, newest first */
  commits: string[];
  /** paths that are not committed, the half-written ones among them */
  uncommitted: string[];
  /** processes of its sessions that run on */
  orphans: number[];
  /** why git could not say */
  problem?: string;
};

const LATEST_SESSIONS = 3;

/** Looks at the directory and the processes that a crashed worker left; changes nothing. */
export const findCrashFacts = async (
  { dir, sessions }: Pick<ListedWorker, "dir" | "sessions">,
  env: Environment,
): Promise<CrashFacts> => {
  const orphans = sessions
    .slice(-LATEST_SESSIONS)
    .flatMap(({ mark }) => findMarked(mark).map(({ pid }) => pid));
  try {
    const git = createGit(dir, env);
    const state = await readGitState(git, dir);
    const begun = sessions.at(-1)?.headBefore;
    const log = begun === undefined ? undefined : await git.find(["log", "--format=%h %s", `${begun}..HEAD`]);
    return {
      commits: log?.split("\n").filter(Boolean) ?? [],
      uncommitted: state?.changed.map(({ path }) => path) ?? [],
      orphans,
    };
  } catch (error) {
    return { commits: [], uncommitted: [], orphans, problem: errorText(error) };
  }
};

const LISTED = 5;
const list = (items: readonly string[]): string =>
  items.slice(0, LISTED).join(", ") + (items.length > LISTED ? ` and ${items.length - LISTED} more` : "");

const unless = (isEmpty: boolean, text: string): string | undefined => (isEmpty ? undefined : text);

/** The same as rows of `worker status`. */
export const crashRows = ({
  commits,
  uncommitted,
  orphans,
  problem,
}: CrashFacts): [string, string | undefined][] => [
  ["left", commits.length === 0 ? "no commit" : `${plural(commits.length, "commit")}: ${list(commits)}`],
  [
    "",
    unless(
      uncommitted.length === 0,
      `${plural(uncommitted.length, "uncommitted path")}: ${list(uncommitted)}`,
    ),
  ],
  ["", unless(orphans.length === 0, `still running: ${orphans.map((pid) => `pid ${pid}`).join(", ")}`)],
  ["", problem && `git could not be asked: ${problem}`],
];
