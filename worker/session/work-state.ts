import { createHash } from "node:crypto";
import { type Dirent, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, isInterruption } from "../../core/errors.ts";
import { type Git, type GitState, findWorkTree, readGitState } from "../../core/git.ts";
import { isPassing } from "../../core/passing-failure.ts";

/**
 * Where the work stands: git's view, or a mark over names, sizes and times where there is no repository, or
 * one that git cannot read (`problem`).
 */
export type WorkState = { git: GitState | undefined; mark: string; problem?: string };

const MAX_ENTRIES = 20_000;
const IGNORED = new Set([".git", "node_modules", ".nightshift"]);

/** A folder that is closed to us, or goes while we look, has nothing to tell; the rest has. */
const listEntries = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
};

const folderMark = (dir: string): string => {
  const hash = createHash("sha256");
  const queue = [dir];
  let seen = 0;
  for (let folder = queue.pop(); folder !== undefined && seen < MAX_ENTRIES; folder = queue.pop()) {
    for (const entry of listEntries(folder)) {
      if (IGNORED.has(entry.name)) continue;
      const path = join(folder, entry.name);
      seen++;
      if (entry.isDirectory()) queue.push(path);
      else {
        const stat = lstatSync(path, { throwIfNoEntry: false });
        if (stat) hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\0`);
      }
    }
  }
  return hash.digest("hex").slice(0, 16);
};

/**
 * Where the work in a directory stands. Where it began in a repository (`workTree`) that is gone, or in which
 * another one stands now, nothing is known of it: that is a problem like a repository that cannot be read.
 * @throws AppError `not-found` when the directory is gone; what passes by itself, and interruptions
 */
export const readWorkState = async (
  git: Git,
  { dir, workTree }: { dir: string; workTree: string | undefined },
): Promise<WorkState> => {
  if (!existsSync(dir)) throw new AppError("not-found", `the working directory ${dir} is gone`);
  const unknown = (problem: string): WorkState => ({ git: undefined, mark: folderMark(dir), problem });
  try {
    const state = await readGitState(git, dir);
    if (workTree !== undefined && (await findWorkTree(git)) !== workTree)
      return unknown(`the git repository of ${workTree}, in which the work began, is gone`);
    return state
      ? { git: state, mark: `${state.head ?? "none"} ${state.dirtyDigest}` }
      : { git: undefined, mark: folderMark(dir) };
  } catch (error) {
    if (!(error instanceof AppError) || isInterruption(error) || isPassing(error)) throw error;
    return unknown(error.message);
  }
};

/** What the agent is told of a repository that git cannot read: nothing else can repair it at night. */
export const gitRemarks = ({ problem }: Pick<WorkState, "problem">): string[] =>
  problem === undefined
    ? []
    : [`Git does not work here, so nothing can be committed or checked. Repair that first: ${problem}`];

/** The commits that came between two states, oldest first, as short hash and subject. */
export const listCommits = async (git: Git, before: WorkState, after: WorkState): Promise<string[]> => {
  const [from, to] = [before.git?.head, after.git?.head];
  if (!to || from === to) return [];
  const range = from ? `${from}..${to}` : to;
  const text = await git.find(["log", "--reverse", "--max-count=200", "--format=%h %s", range]);
  return text?.split("\n").filter(Boolean) ?? [];
};
