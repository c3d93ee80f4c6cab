import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readFileIfThere } from "../core/read-file.ts";

/** What of a repository a session may write, and what in it only git's owner may: it starts programs, or leads elsewhere. */
export type GitPlaces = { top: string; write: string[]; protect: string[] };

const readPointer = (file: string): string | undefined => {
  const target = /^gitdir: (.+?)\s*$/.exec(readFileIfThere(file) ?? "")?.[1];
  return target === undefined ? undefined : resolve(dirname(file), target);
};

const findUp = (folder: string): string | undefined => {
  if (existsSync(join(folder, ".git"))) return folder;
  const up = dirname(folder);
  return up === folder ? undefined : findUp(up);
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const makeFolder = (path: string): string => {
  mkdirSync(path, { recursive: true });
  return path;
};

/** A file that says nothing: what is there cannot be made by somebody else. */
const makeFile = (path: string, text = ""): string => {
  if (!existsSync(path)) writeFileSync(path, text);
  return path;
};

/** What a git folder may lack, and what stands for it while a sandbox is open: it says nothing to git. */
export const PLACEHOLDERS: readonly (readonly [string, string])[] = [
  ["info/attributes", ""],
  ["objects/info/alternates", ""],
  ["commondir", ".\n"],
];

/**
 * The dangerous places of one git folder. A bind mount holds only what exists, so that what is missing is made, as
 * git itself would have it: `commondir` of a main repository points to itself. Folders above what is protected are
 * mounts of their own, since they could be moved away otherwise.
 */
const guard = (gitDir: string): { write: string[]; protect: string[] } => {
  const objects = makeFolder(join(gitDir, "objects"));
  const info = makeFolder(join(gitDir, "info"));
  makeFolder(join(objects, "info"));
  const config = makeFile(join(gitDir, "config"));
  const hasWorktreeConfig = /worktreeconfig/i.test(readFileSync(config, "utf8"));
  const protect = [
    config,
    makeFolder(join(gitDir, "hooks")),
    makeFolder(join(gitDir, "nightshift")),
    ...PLACEHOLDERS.map(([name, text]) => makeFile(join(gitDir, name), text)),
    ...(hasWorktreeConfig ? [makeFile(join(gitDir, "config.worktree"))] : []),
    ...["worktrees", "config.worktree", "objects/info/http-alternates"]
      .map((name) => join(gitDir, name))
      .filter((path) => existsSync(path)),
  ];
  return { write: [gitDir, objects, info, join(objects, "info")], protect };
};

/** Git folders of submodules, however deep their names are. */
const listModules = (folder: string, depth = 4): string[] =>
  !isFolder(folder) || depth === 0
    ? []
    : readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap(({ name }) => {
          const path = join(folder, name);
          return existsSync(join(path, "HEAD"))
            ? [path, ...listModules(join(path, "modules"), depth)]
            : listModules(path, depth - 1);
        });

const workTreeOf = (module: string): string[] => {
  const told = /^\s*worktree\s*=\s*(.+)$/m.exec(readFileIfThere(join(module, "config")) ?? "")?.[1];
  const pointer = told === undefined ? undefined : join(resolve(module, told.trim()), ".git");
  return pointer !== undefined && existsSync(pointer) ? [pointer] : [];
};

type Found = { top: string; dotGit: string; gitDir: string | undefined; commonDir: string | undefined };

const findGit = (dir: string): Found | undefined => {
  const top = findUp(dir);
  if (top === undefined) return undefined;
  const dotGit = join(top, ".git");
  const gitDir = isFolder(dotGit) ? dotGit : readPointer(dotGit);
  if (gitDir === undefined || !isFolder(gitDir))
    return { top, dotGit, gitDir: undefined, commonDir: undefined };
  const told = gitDir === dotGit ? undefined : readFileIfThere(join(gitDir, "commondir"))?.trim();
  return { top, dotGit, gitDir, commonDir: told === undefined ? gitDir : resolve(gitDir, told) };
};

const guarded = (commonDir: string): string[] => [commonDir, ...listModules(join(commonDir, "modules"))];

/** The git folders in which the sandbox of a folder makes what is missing. */
export const listGitFolders = (dir: string): string[] => {
  const commonDir = findGit(dir)?.commonDir;
  return commonDir === undefined ? [] : guarded(commonDir);
};

/** The repository that a folder lies in; undefined where there is none. */
export const findGitPlaces = (dir: string): GitPlaces | undefined => {
  const found = findGit(dir);
  if (found === undefined) return undefined;
  const { top, dotGit, gitDir, commonDir } = found;
  if (gitDir === undefined || commonDir === undefined) return { top, write: [], protect: [dotGit] };
  if (gitDir === dotGit) return { top, ...withModules(dotGit, [], []) };
  if (gitDir === commonDir) return { top, ...withModules(gitDir, [], [dotGit]) };
  const own = ["commondir", "gitdir", "config.worktree"].map((name) => join(gitDir, name));
  const pointers = own.filter((path) => existsSync(path));
  const locks = makeFolder(join(gitDir, "nightshift"));
  return { top, ...withModules(commonDir, [gitDir], [dotGit, ...pointers, locks]) };
};

const withModules = (commonDir: string, write: string[], protect: string[]) => {
  const modules = join(commonDir, "modules");
  const guards = guarded(commonDir).map(guard);
  return {
    write: [...write, ...(isFolder(modules) ? [modules] : []), ...guards.flatMap((one) => one.write)],
    protect: [
      ...protect,
      ...guards.flatMap((one) => one.protect),
      ...listModules(modules).flatMap(workTreeOf),
    ],
  };
};
