import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isWithin } from "../is-within.ts";

/** Whether a config or script runs code when it is loaded; JSON, YAML and package.json are data. */
export const isCode = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path);

// Every quoted text that looks like a path, whatever it is used for: what is taken for an import too often
// costs a comparison, what is missed would be run unseen.
const QUOTED_PATH = /["'`]((?:\.{1,2}\/|\/|file:\/\/\/)[^"'`\n]{1,500})["'`]/g;
const ENDINGS = ["", ".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json"];

/** Every file that a loader might take for a path, not only its first choice. */
const candidatesOf = (path: string): string[] => {
  const bare = path.replace(/\.[cm]?jsx?$/, "");
  return [
    ...ENDINGS.map((ending) => path + ending),
    ...(bare === path ? [] : ENDINGS.map((ending) => bare + ending)),
    ...ENDINGS.slice(1).map((ending) => join(path, `index${ending}`)),
  ];
};

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

const pathsIn = (text: string, file: string): string[] =>
  [...text.matchAll(QUOTED_PATH)].flatMap(([, found = ""]) =>
    candidatesOf(resolve(dirname(file), found.replace(/^file:\/\//, ""))).filter(
      (path) => /\.(?:[cm]?[jt]sx?|json)$/.test(path) && isFile(path),
    ),
  );

/**
 * The texts of scripts and of every file that they name by a path, and so on, by their paths from `root`.
 * Packages are not followed, and a path that is put together at run time is not seen.
 */
export const readCodeFiles = (root: string, entries: readonly string[]): Map<string, string> => {
  const found = new Map<string, string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const name = relative(root, file).split(sep).join("/");
    if (found.has(name)) continue;
    const text = readFileSync(file, "utf8");
    found.set(name, text);
    // Data beside the project is not its own: a config may name a file of this user's that is nobody's business.
    if (isCode(file))
      open.push(...pathsIn(text, file).filter((path) => isCode(path) || isWithin(path, root)));
  }
  return found;
};

/**
 * The project that a folder stands for in the record of trust: its real path, and for a work tree of git the
 * repository that it belongs to, as both hold the same project.
 */
export const projectIdentity = (root: string): string => {
  const real = realpathSync(root);
  const link = join(real, ".git");
  if (!existsSync(link) || !isFile(link)) return real;
  const folder = /^gitdir: (.+)$/m.exec(readFileSync(link, "utf8"))?.[1]?.trim();
  const repository = /^(.*)\/worktrees\/[^/]+\/?$/.exec(
    folder === undefined ? "" : resolve(real, folder),
  )?.[1];
  if (repository === undefined || !existsSync(repository)) return real;
  return realpathSync(repository.endsWith("/.git") ? dirname(repository) : repository);
};
