import type { Git } from "../../core/git.ts";
import { readTree, type TreeEntry } from "../read-tree.ts";
import { compareTrees } from "../seal/changed-files.ts";

export type ChangedFile = {
  file: string;
  base: string | undefined;
  head: string | undefined;
  isMoved: boolean;
};

export const FILE_MODE = /^100/;

const idOf = (entry: TreeEntry | undefined): string | undefined =>
  entry && FILE_MODE.test(entry.mode) ? entry.object : undefined;

/** The files that differ between two commits, by the ids of their content. */
export const listChangedFiles = async (git: Git, base: string, head: string): Promise<ChangedFile[]> => {
  const changed = compareTrees(await readTree(git, base), await readTree(git, head)).map(
    ({ path, before, after }) => ({ file: path, base: idOf(before), head: idOf(after) }),
  );
  const arrived = new Set(changed.flatMap(({ base: before, head: after }) => (before ? [] : (after ?? []))));
  return changed.map((each) => ({
    ...each,
    isMoved: each.head === undefined && each.base !== undefined && arrived.has(each.base),
  }));
};

/** The text of a blob; undefined for what is no text or too large to have been written by hand. */
export const readBlob = async (git: Git, id: string): Promise<string | undefined> => {
  if (Number(await git.run(["cat-file", "-s", id])) > 2 * 1024 * 1024) return undefined;
  const text = await git.run(["cat-file", "blob", id]);
  return text.includes("\0") ? undefined : text.replace(/^\uFEFF/, "");
};
