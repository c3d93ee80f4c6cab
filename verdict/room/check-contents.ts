import type { Git } from "../../core/git.ts";
import type { Reason } from "../verdict.ts";
import { type TreeEntry, isLink, isRepository } from "../read-tree.ts";

/**
 * Files of a checkout whose content is not what the commit calls it by: git believes an object's name when it
 * reads one, and whoever can write to the object store can put another content under it.
 */
export const findForged = async (git: Git, entries: readonly TreeEntry[]): Promise<Reason[]> => {
  const files = entries.filter(
    (entry) => !isLink(entry) && !isRepository(entry) && !entry.path.includes("\n"),
  );
  if (files.length === 0) return [];
  const input = files.map(({ path }) => `${path}\n`).join("");
  const hashes = (await git.find(["hash-object", "--stdin-paths"], { input }))?.trim().split("\n");
  return files
    .filter(({ object }, index) => hashes?.[index] !== object)
    .map(({ path: file }) => ({
      kind: "forged",
      weight: "refused",
      file,
      message: "does not have the content that git names it by; the object store was written to by hand",
    }));
};
