import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { AppError, errorText, systemCode } from "./errors.ts";

export type GitEnvironment = Readonly<Record<string, string | undefined>>;

/** Runs git in one folder: cleaned of what a hook or an outer git put into the environment. */
export type Git = {
  /** stdout of a git command; throws `AppError` `unavailable` with git's own words when it fails */
  run: (
    args: readonly string[],
    options?: { env?: Record<string, string>; input?: string },
  ) => Promise<string>;
  /** the same, but undefined when it fails */
  find: (args: readonly string[]) => Promise<string | undefined>;
};

const MAX_OUTPUT = 256 * 1024 * 1024;

const gitEnv = (env: GitEnvironment): Record<string, string> => {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (!entry[0].startsWith("GIT_") || /^GIT_(CONFIG|AUTHOR|COMMITTER|SSH)/.test(entry[0])),
  );
  // OPTIONAL_LOCKS: looking must never hold up, or write into, the repository that an agent works in.
  return { ...Object.fromEntries(kept), GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
};

/** git bound to a folder. */
export const createGit = (dir: string, env: GitEnvironment): Git => {
  const run: Git["run"] = (args, options = {}) =>
    new Promise((resolve, reject) => {
      const fail = (words: string, cause?: unknown) =>
        reject(new AppError("unavailable", words, cause === undefined ? {} : { cause }));
      const name = `git ${args[0] ?? ""}`;
      // In a session of its own: Ctrl-C at a terminal is for us, and must not end a git in the middle of its work.
      const child = spawn("git", ["-C", dir, ...args], {
        env: { ...gitEnv(env), ...options.env },
        detached: true,
      });
      const stdout = collect(child.stdout, () => child.kill());
      const stderr = collect(child.stderr, () => child.kill());
      child.stdin.on("error", () => {}); // EPIPE when git ends early; its exit code tells
      child.stdin.end(options.input ?? "");
      child.once("error", (error) =>
        systemCode(error) === "ENOENT"
          ? fail("git was not found on PATH; install it", error)
          : fail(`${name} could not be started in ${dir}: ${errorText(error)}`, error),
      );
      child.once("close", (code, signal) => {
        if (code === 0) resolve(stdout.text());
        else fail(`${name} failed in ${dir}: ${stderr.text().trim() || `ended with ${signal ?? code}`}`);
      });
    });
  return { run, find: (args) => run(args).catch(() => undefined) };
};

const collect = (stream: Readable, onTooMuch: () => void): { text: () => string } => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT) onTooMuch();
    else chunks.push(chunk);
  });
  return { text: () => Buffer.concat(chunks).toString("utf8") };
};

/** One path that git sees as changed or untracked; `code` is git's two letters (`??` for untracked). */
export type ChangedPath = { path: string; code: string };

/** Where a work tree stands. `dirtyDigest` is "clean" or a hash over the changed paths and their content. */
export type GitState = {
  branch: string | undefined;
  head: string | undefined;
  changed: ChangedPath[];
  dirtyDigest: string;
};

const MAX_HASHED_BYTES = 64 * 1024 * 1024;

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

const contentMark = (path: string): string => {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return `link ${readlinkSync(path)}`;
    if (!stat.isFile()) return "other";
    if (stat.size > MAX_HASHED_BYTES) return `large ${stat.size} ${stat.mtimeMs}`;
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return "absent";
  }
};

const digestOf = (root: string, changed: readonly ChangedPath[]): string => {
  if (changed.length === 0) return "clean";
  const hash = createHash("sha256");
  for (const { path, code } of changed) hash.update(`${code}\0${path}\0${contentMark(join(root, path))}\0`);
  return hash.digest("hex").slice(0, 12);
};

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
    const root = (await git.find(["rev-parse", "--show-toplevel"]))?.trimEnd() ?? dir;
    state.dirtyDigest = digestOf(root, state.changed);
  }
  return state;
};
