import { copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Git, type GitEnvironment, createGit } from "../../core/git.ts";

/**
 * What git obeys beside its command line is the project's, and its author's who worked there: none of it counts
 * for a verdict. `git replace`, attributes of the machine and grafts would show another commit than the one judged.
 */
const JUDGING = { GIT_NO_REPLACE_OBJECTS: "1", GIT_ATTR_NOSYSTEM: "1" };

/** git in a folder of the project, which shows what is there and not what somebody put in its place. */
export const judgingGit = (dir: string, env: GitEnvironment): Git => {
  const git = createGit(dir, env);
  const run: Git["run"] = (args, call) => git.run(args, { ...call, env: { ...JUDGING, ...call?.env } });
  const find: Git["find"] = (args, call) => git.find(args, { ...call, env: { ...JUDGING, ...call?.env } });
  return { run, find };
};

export type Source = {
  /** the object store of the project */
  objects: string;
  /** where its history was cut off, when it was */
  shallow: string | undefined;
  format: string;
};

/** Where the objects of a project's repository are, and how they are named. */
export const findSource = async (git: Git, dir: string): Promise<Source> => {
  const [objects = "", shallow = ""] = (
    await git.run(["rev-parse", "--git-path", "objects", "--git-path", "shallow"])
  ).split("\n");
  const format = (await git.find(["rev-parse", "--show-object-format"]))?.trim() ?? "sha1";
  const cut = resolve(dir, shallow);
  return {
    objects: realpathSync(resolve(dir, objects)),
    shallow: existsSync(cut) ? cut : undefined,
    format,
  };
};

export type RoomRepository = {
  tree: string;
  source: Source;
  /** commit that is checked out */
  commit: string;
  branch: string | undefined;
  /** branches and tags as they stood at the start: name and object */
  refs: readonly (readonly [string, string])[];
  /** whether the files are wanted, too */
  isCheckedOut: boolean;
};

/**
 * A repository of the room's own, with nothing of the project's but its objects: no configuration, hooks,
 * attributes, filters, replacements, excludes or index that an agent may have written. Answers with its git.
 */
export const makeRepository = async (
  env: GitEnvironment,
  { tree, source, commit, branch, refs, isCheckedOut }: RoomRepository,
): Promise<Git> => {
  const folder = join(tree, ".git");
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const isPlain = source.format === "sha1";
  const large = join(dirname(source.objects), "lfs");
  put("objects/info/alternates", `${source.objects}\n`);
  put(
    "config",
    [
      "[core]",
      `\trepositoryformatversion = ${isPlain ? 0 : 1}`,
      "\tfilemode = true",
      "\tbare = false",
      "[gc]",
      "\tauto = 0",
      ...(isPlain ? [] : ["[extensions]", `\tobjectformat = ${source.format}`]),
      ...(existsSync(large) ? ["[lfs]", `\tstorage = ${large}`] : []),
      "",
    ].join("\n"),
  );
  const head = branch === undefined ? undefined : `refs/heads/${branch}`;
  const known = refs.filter(([name]) => name !== head);
  const packed = [...known, ...(head === undefined ? [] : [[head, commit] as const])]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, object]) => `${object} ${name}\n`);
  put("packed-refs", `# pack-refs with: sorted \n${packed.join("")}`);
  mkdirSync(join(folder, "refs"), { recursive: true });
  if (source.shallow !== undefined) copyFileSync(source.shallow, join(folder, "shallow"));
  put("HEAD", head === undefined ? `${commit}\n` : `ref: ${head}\n`);
  const git = judgingGit(tree, env);
  if (isCheckedOut) await git.run(["reset", "--hard", "--quiet", commit]);
  return git;
};
