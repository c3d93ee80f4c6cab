import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { type FileLock, waitForLock } from "../core/file-lock.ts";
import type { Git } from "../core/git.ts";
import { type GitPorts, createBoundedGit } from "./bounded-git.ts";

export type ClonePorts = GitPorts & {
  clock: Clock;
  /** where clones and work trees lie */
  home: string;
};

/** One at a time in a clone. @throws AppError `interrupted` when `signal` aborts the waiting */
export const lockClone = (
  { clock, home }: ClonePorts,
  repo: string,
  signal: AbortSignal,
): Promise<FileLock> => waitForLock(`${clonePath(home, repo)}.lock`, "pool", { clock, signal });

export const clonePath = (home: string, repo: string): string =>
  join(home, "clones", `${createHash("sha256").update(repo).digest("hex").slice(0, 16)}.git`);

/** Longer than any git holds the locks that agents' git commands share with ours. */
const STALE_MS = 60_000;

/**
 * What a git that was killed while it fetched left locked; whoever calls has the clone's own lock. Only a
 * fetch writes what was fetched; the other two files agents may be changing.
 */
const removeStaleLocks = (clone: string, nowMs: number): void => {
  const fetched = join(clone, "refs/remotes");
  const names = existsSync(fetched) ? readdirSync(fetched, { recursive: true, encoding: "utf8" }) : [];
  for (const name of names) if (name.endsWith(".lock")) rmSync(join(fetched, name), { force: true });
  for (const path of [join(clone, "packed-refs.lock"), join(clone, "config.lock")]) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat && nowMs - stat.mtimeMs > STALE_MS) rmSync(path, { force: true });
  }
};

/** What git itself knows a repository by. It makes `objects` last: without it nothing was ever kept here. */
const isRepository = (path: string): boolean =>
  ["HEAD", "refs", "objects"].every((name) => existsSync(join(path, name)));

/** One bare clone of each repository, shared by all tasks of this machine; only what is new is fetched. */
export const refreshClone = async (ports: ClonePorts, repo: string, signal: AbortSignal): Promise<Git> => {
  const path = clonePath(ports.home, repo);
  if (!isRepository(path)) {
    rmSync(path, { recursive: true, force: true }); // half made by a git that was killed
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await createBoundedGit(ports, dirname(path), signal).run(["init", "--quiet", "--bare", path]);
  }
  const git = createBoundedGit(ports, path, signal);
  removeStaleLocks(path, ports.clock.now());
  if ((await git.find(["config", "remote.origin.url"]))?.trim() !== repo)
    await git.run(["config", "remote.origin.url", repo]);
  const what = ["--quiet", "--prune", "--no-tags", "origin", "+refs/heads/*:refs/remotes/origin/*"];
  await git.run(["fetch", ...what]);
  return git;
};

/** The commit at which new work on a repository begins. @throws AppError `bad-data` for an empty one */
export const defaultHead = async (git: Git, repo: string): Promise<string> => {
  const answer = await git.run(["ls-remote", "--symref", "origin", "HEAD"]);
  const head = /^([0-9a-f]{40,64})\tHEAD$/m.exec(answer)?.[1];
  if (head) return head;
  throw new AppError("bad-data", `${repo} has no commit to begin at`);
};
