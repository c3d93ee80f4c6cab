import { AppError } from "../../core/errors.ts";
import { type Git, treeOf } from "../../core/git.ts";

/** How much a change touches: text lines only, binary files count as files. */
export type DiffStat = { files: number; insertions: number; deletions: number };

/** `f0e6e0e Collapse runs of blanks` in a state file: the hash is the first word. */
const hashOf = (commit: string): string => commit.split(" ")[0] ?? "";

/** A file that differs between two commits, with how many text lines came and went. */
export type ChangedRow = { path: string; insertions: number; deletions: number };

/** What differs between two commits, file by file; a renamed one is two. */
export const readChangedRows = async (git: Git, from: string, to: string): Promise<ChangedRow[]> => {
  const range = ["--literal-pathspecs", "diff", "--no-ext-diff", "--numstat", "-z", "--no-renames", from, to];
  return (await git.run(range))
    .split("\0")
    .filter(Boolean)
    .map((row) => {
      const [insertions, deletions, ...path] = row.split("\t");
      // A binary file has dashes in place of numbers.
      return {
        path: path.join("\t"),
        insertions: Number(insertions) || 0,
        deletions: Number(deletions) || 0,
      };
    });
};

export const sumRows = (rows: readonly ChangedRow[]): DiffStat => ({
  files: rows.length,
  insertions: rows.reduce((sum, { insertions }) => sum + insertions, 0),
  deletions: rows.reduce((sum, { deletions }) => sum + deletions, 0),
});

/** The two ends of a worker's commits, oldest parent to newest; undefined where it made none. */
type Range = { from: string; to: string };

const parentOf = async (git: Git, commit: string): Promise<string> =>
  (await git.find(["rev-parse", "--verify", "--quiet", `${commit}^`]))?.trim() ?? treeOf(git, undefined);

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
        `commit ${commit} is no longer in the repository; it may have been rebased (see git reflog)`,
      );
  return { from: await parentOf(git, hashOf(first)), to: hashOf(last) };
};

/** What the commits changed together; undefined where that cannot be told any more. */
export const findDiffStat = async (git: Git, commits: readonly string[]): Promise<DiffStat | undefined> => {
  const range = await findRange(git, commits).catch(() => undefined);
  const rows = range && (await readChangedRows(git, range.from, range.to).catch(() => undefined));
  return rows && sumRows(rows);
};
