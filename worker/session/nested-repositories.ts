import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Git, readGitState } from "../../core/git.ts";

/** The same git for another folder, with options of its own in front. */
export const gitWithin = (git: Git, dir: string, options: readonly string[] = []): Git => ({
  run: (args, more) => git.run(["-C", dir, ...options, ...args], more),
  find: (args) => git.find(["-C", dir, ...options, ...args]),
});

export type Repository = { git: Git; root: string; path: string };

/** The repository of a folder and those that lie in it: submodules that are there, and clones that git shows as untracked. */
export const listRepositories = async (git: Git): Promise<Repository[]> => {
  const root = (await git.run(["rev-parse", "--show-toplevel"])).replace(/\n$/, "");
  const links = (await git.run(["-C", root, "ls-files", "-z", "--stage"]))
    .split("\0")
    .filter((line) => line.startsWith("160000 "))
    .map((line) => line.slice(line.indexOf("\t") + 1));
  const untracked = ((await readGitState(git, root))?.changed ?? [])
    .filter(({ code, path }) => code === "??" && path.endsWith("/"))
    .map(({ path }) => path);
  const inner = [...new Set([...links, ...untracked])]
    .filter((path) => existsSync(join(root, path, ".git")))
    .map((path) => ({ git: gitWithin(git, join(root, path)), root: join(root, path), path: join(path) }));
  return [{ git, root, path: "" }, ...inner];
};
