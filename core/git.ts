import { callGit } from "./call-git.ts";
import { markContents } from "./content-marks.ts";
import { AppError, errorText } from "./errors.ts";
import { isPassing } from "./passing-failure.ts";
import { GIT_LIMITS, type GitLimits } from "./git-limits.ts";

export type GitEnvironment = Readonly<Record<string, string | undefined>>;

export type GitCall = {
  env?: Record<string, string>;
  input?: string;
  /** ends git with its whole tree */
  signal?: AbortSignal;
  /** in place of the deadline that this kind of command has */
  timeoutMs?: number;
};

/** Runs git in one folder: cleaned of what a hook or an outer git put into the environment. */
export type Git = {
  /**
   * stdout of a git command; throws `AppError` `unavailable` with git's own words when it fails, `timeout`
   * when it was ended because it took too long, `interrupted` when it was ended because `signal` said so
   */
  run: (args: readonly string[], call?: GitCall) => Promise<string>;
  /** the same, but undefined when git says no; what git had no time to say, or was killed over, is thrown all the same */
  find: (args: readonly string[], call?: GitCall) => Promise<string | undefined>;
};

export type GitOptions = { signal?: AbortSignal; limits?: Partial<GitLimits> };

/**
 * What the configuration of a repository must not start: whoever works in a tree can write there. A program
 * that watches files would outlive us, and hooks are the user's for what the user does.
 */
const NOTHING_STARTED = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

const gitEnv = (env: GitEnvironment): Record<string, string> => {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (!entry[0].startsWith("GIT_") || /^GIT_(CONFIG|AUTHOR|COMMITTER|SSH)/.test(entry[0])),
  );
  // OPTIONAL_LOCKS: looking must never hold up, or write into, the repository that an agent works in.
  return { ...Object.fromEntries(kept), GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
};

/** git bound to a folder. Every call has a deadline, by its kind (`git-limits.ts`). */
export const createGit = (
  dir: string,
  env: GitEnvironment,
  { signal: always, limits }: GitOptions = {},
): Git => {
  const run: Git["run"] = (args, { signal, timeoutMs, ...call } = {}) =>
    callGit(
      {
        dir,
        args: [...NOTHING_STARTED, ...args],
        env: { ...gitEnv(env), ...call.env },
        input: call.input ?? "",
      },
      {
        limits: { ...GIT_LIMITS, ...limits },
        signals: [always, signal].filter((one) => one !== undefined),
        timeoutMs,
      },
    );
  return { run, find: (args, call) => orRefused(run(args, call)) };
};

/** The same git, whose calls end when `signal` aborts. */
export const gitUntil = (git: Git, signal: AbortSignal): Git => ({
  run: (args, call) => git.run(args, { signal, ...call }),
  find: (args, call) => git.find(args, { signal, ...call }),
});

const orRefused = (answer: Promise<string>): Promise<string | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof AppError && error.code === "unavailable" && !isPassing(error.cause))
      return undefined;
    throw error;
  });

/** One path that git sees as changed or untracked; `code` is git's two letters (`??` for untracked). */
export type ChangedPath = { path: string; code: string };

/** Where a work tree stands. `dirtyDigest` is "clean" or a hash over the changed paths and their content. */
export type GitState = {
  branch: string | undefined;
  head: string | undefined;
  changed: ChangedPath[];
  dirtyDigest: string;
};

const parseEntry = (entry: string, next: () => string | undefined): ChangedPath | undefined => {
  const kind = entry[0];
  if (kind === "?") return { path: entry.slice(2), code: "??" };
  if (kind === "1") return { code: entry.slice(2, 4), path: entry.split(" ").slice(8).join(" ") };
  if (kind === "u") return { code: entry.slice(2, 4), path: entry.split(" ").slice(10).join(" ") };
  if (kind === "2") {
    next(); // the old path follows as a record of its own
    return { code: entry.slice(2, 4), path: entry.split(" ").slice(9).join(" ") };
  }
  return undefined;
};

/** The top of the git work tree that a folder lies in; undefined where there is none. */
export const findWorkTree = async (git: Git): Promise<string | undefined> =>
  (await git.find(["rev-parse", "--show-toplevel"]))?.replace(/\n$/, "");

/** The tree of a commit; of none, the empty one. */
export const treeOf = async (git: Git, commit: string | undefined): Promise<string> =>
  (
    await git.run(commit ? ["rev-parse", `${commit}^{tree}`] : ["hash-object", "-t", "tree", "--stdin"])
  ).trim();

const STATUS = ["status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=all"];

const NO_WORK_TREE = /not a git repository|must be run in a work tree|git was not found/;

/**
 * stdout of a git command, or undefined where there is no work tree, or no git on the machine.
 * @throws AppError `unavailable` for every other failure: a repository that git refuses to read is one
 */
export const askWorkTree = async (git: Git, args: readonly string[]): Promise<string | undefined> => {
  try {
    return await git.run(args);
  } catch (error) {
    if (NO_WORK_TREE.test(errorText(error))) return undefined;
    throw error;
  }
};

/**
 * The state of the work tree that `dir` lies in; undefined when it is in no git work tree.
 * @throws AppError `unavailable` with git's words for a repository that git cannot read (a broken index,
 * another owner): what is uncommitted in it is not known
 */
export const readGitState = async (git: Git, dir: string): Promise<GitState | undefined> => {
  const status = await askWorkTree(git, STATUS);
  if (status === undefined) return undefined;
  const records = status.split("\0");
  const state: GitState = { branch: undefined, head: undefined, changed: [], dirtyDigest: "clean" };
  for (let index = 0; index < records.length; index++) {
    const record = records[index] ?? "";
    if (record.startsWith("# branch.oid "))
      state.head = record.slice(13).replace("(initial)", "") || undefined;
    else if (record.startsWith("# branch.head ")) state.branch = record.slice(14);
    else {
      const changed = parseEntry(record, () => records[++index]);
      if (changed) state.changed.push(changed);
    }
  }
  if (state.changed.length > 0) {
    state.dirtyDigest = await markContents((await findWorkTree(git)) ?? dir, state.changed);
  }
  return state;
};
