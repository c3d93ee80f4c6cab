import { createHash } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Git, type GitState, readGitState } from "../../core/git.ts";

/** Where the work stands: git's view, or a mark over names, sizes and times where there is no repository. */
export type WorkState = { git: GitState | undefined; mark: string };

const MAX_ENTRIES = 20_000;
const IGNORED = new Set([".git", "node_modules", ".nightshift"]);

const folderMark = (dir: string): string => {
  const hash = createHash("sha256");
  const queue = [dir];
  let seen = 0;
  for (let folder = queue.pop(); folder !== undefined && seen < MAX_ENTRIES; folder = queue.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
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

export const readWorkState = async (git: Git, dir: string): Promise<WorkState> => {
  const state = await readGitState(git, dir);
  return { git: state, mark: state ? `${state.head ?? "none"} ${state.dirtyDigest}` : folderMark(dir) };
};

/** The commits that came between two states, oldest first, as short hash and subject. */
export const listCommits = async (git: Git, before: WorkState, after: WorkState): Promise<string[]> => {
  const [from, to] = [before.git?.head, after.git?.head];
  if (!to || from === to) return [];
  const range = from ? `${from}..${to}` : to;
  const text = await git.find(["log", "--reverse", "--max-count=200", "--format=%h %s", range]);
  return text?.split("\n").filter(Boolean) ?? [];
};
