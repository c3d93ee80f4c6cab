import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeFileDurably } from "../../core/durable-file.ts";
import { readFileIfThere } from "../../core/read-file.ts";

/** Where git keeps what it knows of a worktree, made whole or not (gitrepository-layout(5)); told without asking git. */
export const findAdmin = (commonDir: string, path: string): string | undefined => {
  const folder = join(commonDir, "worktrees");
  return (existsSync(folder) ? readdirSync(folder) : [])
    .map((name) => join(folder, name))
    .find((admin) => {
      const link = readFileIfThere(join(admin, "gitdir"))?.trim(); // relative, where git is told so
      return link !== undefined && resolve(admin, link) === join(path, ".git");
    });
};

const markOf = (admin: string): string => join(admin, "nightshift", "worktree-is-whole");

/** Says that a worktree was made to its end. */
export const markWhole = (admin: string): void => writeFileDurably(markOf(admin), "");

/** The reason for which git itself locks a worktree until all of it is checked out (in English: we set LC_ALL to C). */
const HALF_MADE = "initializing";

/**
 * Whether a worktree was made to its end: what a killed git left looks like a tree in which everything was
 * deleted, and would be committed as that. One without our mark (an earlier version's) is whole when git has let
 * go of it. Nobody has worked in a half-made one: a worker begins only in one that is whole.
 */
export const isWhole = (admin: string, path: string): boolean => {
  if (existsSync(markOf(admin))) return true;
  if (readFileIfThere(join(admin, "locked"))?.trim() === HALF_MADE) return false;
  if (!existsSync(join(admin, "index")) && readdirSync(path).every((name) => name === ".git")) return false;
  markWhole(admin);
  return true;
};
