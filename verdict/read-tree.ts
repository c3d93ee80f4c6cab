import type { Git } from "../core/git.ts";

/** One file of a commit. */
export type TreeEntry = { path: string; mode: string; object: string };

/** Every file, link and submodule of a commit, by path; of no commit, none. */
export const readTree = async (git: Git, commit: string | undefined): Promise<Map<string, TreeEntry>> => {
  if (commit === undefined) return new Map();
  const text = await git.run(["ls-tree", "-r", "-z", "--full-tree", commit]);
  return new Map(
    text.split("\0").flatMap((record): [string, TreeEntry][] => {
      const match = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(record);
      if (!match) return [];
      const [, mode = "", object = "", path = ""] = match;
      return [[path, { path, mode, object }]];
    }),
  );
};

/** A file of a commit as text. */
export const readBlob = (git: Git, { object }: TreeEntry): Promise<string> =>
  git.run(["cat-file", "blob", object]);

export const isLink = ({ mode }: TreeEntry): boolean => mode === "120000";
export const isRepository = ({ mode }: TreeEntry): boolean => mode === "160000";
