import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Git, readGitState } from "../../core/git.ts";

/** The same git for another folder, with an environment of its own beside. */
export const gitWithin = (git: Git, dir: string, env: Record<string, string> = {}): Git => ({
  run: (args, call) => git.run(["-C", dir, ...args], { ...call, env: { ...env, ...call?.env } }),
  find: (args, call) => git.find(["-C", dir, ...args], { ...call, env: { ...env, ...call?.env } }),
});

/**
 * The same git for a repository that came from anywhere: none of the programs that its configuration names is
 * started, neither filters nor what would fetch missing objects.
 */
export const gitWithinForeign = async (git: Git, dir: string): Promise<Git> => {
  const names =
    (await git.find(["-C", dir, "config", "-z", "--name-only", "--get-regexp", "^filter\\."])) ?? "";
  const filters = [...new Set(names.split("\0").filter(Boolean))];
  return gitWithin(git, dir, {
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_CONFIG_COUNT: String(filters.length),
    ...Object.fromEntries(
      filters.flatMap((name, index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, name.endsWith(".required") ? "false" : ""],
      ]),
    ),
  });
};

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
  const inner = [...new Set([...links, ...untracked])].filter((path) => existsSync(join(root, path, ".git")));
  return [
    { git, root, path: "" },
    ...(await Promise.all(
      inner.map(async (path) => ({
        git: await gitWithinForeign(git, join(root, path)),
        root: join(root, path),
        path: join(path),
      })),
    )),
  ];
};
