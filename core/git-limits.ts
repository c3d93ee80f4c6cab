/** How long git may take, by what it does. */
export const GIT_LIMITS = {
  /** what only reads a repository */
  readMs: 60_000,
  /** what writes objects or a work tree */
  workMs: 300_000,
  /** what speaks with another machine, as a whole */
  networkMs: 3_600_000,
  /** what speaks with another machine, without a sign of progress */
  silentMs: 120_000,
};

export type GitLimits = typeof GIT_LIMITS;

const NETWORK = new Set(["clone", "fetch", "ls-remote", "pull", "push", "submodule"]);
const WORK = new Set([
  "add",
  "apply",
  "checkout",
  "clean",
  "commit",
  "gc",
  "hash-object",
  "merge",
  "read-tree",
  "rebase",
  "reset",
  "restore",
  "status", // it reads every changed file
  "switch",
  "update-index",
  "worktree",
  "write-tree",
]);
/** What leaves everything as it was, however often it runs. */
const READS = new Set([
  "blame",
  "cat-file",
  "check-attr",
  "check-ignore",
  "diff",
  "diff-files",
  "diff-index",
  "diff-tree",
  "for-each-ref",
  "log",
  "ls-files",
  "ls-tree",
  "merge-base",
  "rev-list",
  "rev-parse",
  "show",
  "show-ref",
  "status", // without its optional locks
]);
const TELL_PROGRESS = new Set(["clone", "fetch", "pull", "push"]);
const WITH_VALUE = new Set(["-C", "-c", "--git-dir", "--work-tree"]);

/** Where the command stands behind git's own options. */
const commandIndex = (args: readonly string[]): number => {
  let index = 0;
  while (args[index]?.startsWith("-")) index += WITH_VALUE.has(args[index] ?? "") ? 2 : 1;
  return index;
};

export type GitKind = { command: string; isNetwork: boolean; isWork: boolean; isRead: boolean };

/** What a git command does: its name, whether another machine is asked, writes or reads much, only reads. */
export const kindOf = (args: readonly string[]): GitKind => {
  const command = args[commandIndex(args)] ?? "";
  return {
    command,
    isNetwork: NETWORK.has(command),
    isWork: WORK.has(command),
    isRead: READS.has(command),
  };
};

/** A quiet transfer shows no sign of life: it is told to report how far it is, whoever listens. */
export const withProgress = (args: readonly string[]): string[] => {
  const index = commandIndex(args);
  return TELL_PROGRESS.has(args[index] ?? "")
    ? [...args.slice(0, index + 1), "--progress", ...args.slice(index + 1)]
    : [...args];
};

const PROGRESS = /^(?:remote: )?[A-Z][\w ]+: +(?:\d+% \(|\d+, done|\d+$)|^(?:remote: )?Total \d/;

/** What git has to say, without how far it was. */
export const withoutProgress = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.slice(line.trimEnd().lastIndexOf("\r") + 1))
    .filter((line) => !PROGRESS.test(line))
    .join("\n");
