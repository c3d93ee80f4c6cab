import { AppError } from "../../core/errors.ts";
import type { Git } from "../../core/git.ts";

/** How much a change touches: text lines only, binary files count as files. */
export type DiffStat = { files: number; insertions: number; deletions: number };

/** `f0e6e0e Collapse runs of blanks` in a state file: the hash is the first word. */
const hashOf = (commit: string): string => commit.split(" ")[0] ?? "";

/** The two ends of a worker's commits, oldest parent to newest; undefined where it made none. */
type Range = { from: string; to: string };

const parentOf = async (git: Git, commit: string): Promise<string> => {
  const parent = await git.find(["rev-parse", "--verify", "--quiet", `${commit}^`]);
  return (parent ?? (await git.run(["hash-object", "-t", "tree", "--stdin"]))).trim();
};

/**
 * What a worker's commits span.
 * @throws AppError `not-found` when the repository no longer has them (rebased, pruned)
 */
export const findRange = async (git: Git, commits: readonly string[]): Promise<Range | undefined> => {
  const [first, last] = [commits[0], commits.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  for (const commit of [first, last])
    if ((await git.find(["cat-file", "-e", `${hashOf(commit)}^{commit}`])) === undefined)
      throw new AppError(
        "not-found",
        `commit ${commit} is no longer in the repository; it may have been rebased: git reflog shows where`,
      );
  return { from: await parentOf(git, hashOf(first)), to: hashOf(last) };
};

/** What the commits changed together; undefined where that cannot be told any more. */
export const findDiffStat = async (git: Git, commits: readonly string[]): Promise<DiffStat | undefined> => {
  const range = await findRange(git, commits).catch(() => undefined);
  const text =
    range &&
    (await git.find(["diff", "--no-ext-diff", "--numstat", "-z", "--no-renames", range.from, range.to]));
  if (text === undefined) return undefined;
  const rows = text
    .split("\0")
    .filter(Boolean)
    .map((row) => row.split("\t").map(Number));
  const add = (column: number) => rows.reduce((total, row) => total + (row[column] || 0), 0);
  return { files: rows.length, insertions: add(0), deletions: add(1) };
};
