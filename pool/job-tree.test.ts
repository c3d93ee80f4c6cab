import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { clonePath } from "./clone.ts";
import { makeJobTree } from "./job-tree.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "nightshift-tree-"));
  git(root, "init", "--quiet", "--initial-branch", "main", "atlas");
  writeFileSync(join(root, "atlas/a.txt"), "a\n");
  git(join(root, "atlas"), "add", "--all");
  git(join(root, "atlas"), "commit", "--quiet", "--message", "first");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const env = () => ({
  PATH: process.env["PATH"],
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "T",
  GIT_AUTHOR_EMAIL: "t@localhost",
  GIT_COMMITTER_NAME: "T",
  GIT_COMMITTER_EMAIL: "t@localhost",
});
const git = (dir: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: dir, env: env(), encoding: "utf8", stdio: "pipe" });
const repo = () => join(root, "atlas");
const path = () => join(root, "pool/work/docs-1-abcd");
const clone = () => clonePath(join(root, "pool"), repo());
const make = (token: number, isKept = false, from = repo()) =>
  makeJobTree(
    { clock: systemClock, env: env(), home: join(root, "pool") },
    {
      repo: from,
      name: "docs-1-abcd",
      branch: `nightshift/docs-1-abcd-${token}`,
      base: { head: undefined, rescue: undefined },
      isKept,
    },
    new AbortController().signal,
  );
const status = () => git(path(), "status", "--porcelain");

test("makes a clone again where git was killed after its first files, and no other task of the host is stranded", async () => {
  git(root, "init", "--quiet", "--bare", clone());
  rmSync(join(clone(), "objects"), { recursive: true });
  expect(() => git(clone(), "config", "remote.origin.url", repo())).toThrow("not in a git directory");
  expect(await make(1)).toMatchObject({ branch: "nightshift/docs-1-abcd-1" });
  expect(readFileSync(join(path(), "a.txt"), "utf8")).toBe("a\n");
});

test("makes a tree again where git was killed while it made one and left its lock", async () => {
  await make(1);
  rmSync(path(), { recursive: true });
  git(clone(), "worktree", "lock", "--reason", "initializing", path());
  expect(() => git(clone(), "worktree", "add", path(), "nightshift/docs-1-abcd-1")).toThrow(
    "missing but locked",
  );
  expect(await make(2)).toMatchObject({ branch: "nightshift/docs-1-abcd-2" });
  expect(status()).toBe("");
  expect(readFileSync(join(path(), "a.txt"), "utf8")).toBe("a\n");
});

test("goes on in no tree that was never whole, even when it is said to be the task's own", async () => {
  await make(1);
  rmSync(path(), { recursive: true });
  rmSync(`${path()}.start`);
  git(clone(), "worktree", "prune");
  git(
    clone(),
    "worktree",
    "add",
    "--quiet",
    "--no-checkout",
    "--lock",
    "-b",
    "half",
    path(),
    "nightshift/docs-1-abcd-1",
  );
  expect(status()).toBe("D  a.txt\n");
  await make(2, true);
  expect(status()).toBe("");
});

test("goes on in a whole tree on a branch of the new run, with what is not committed, and asks nobody else", async () => {
  const made = await make(1);
  writeFileSync(join(path(), "half.txt"), "half\n");
  writeFileSync(join(clone(), "worktrees/docs-1-abcd/index.lock"), ""); // of a git that was killed
  rmSync(repo(), { recursive: true });
  expect(await make(2, true)).toEqual({ ...made, branch: "nightshift/docs-1-abcd-2" });
  expect(git(path(), "branch", "--show-current")).toBe("nightshift/docs-1-abcd-2\n");
  expect(status()).toBe("?? half.txt\n");
});

test("rescues what an older run left before it makes a tree again", async () => {
  await make(1);
  writeFileSync(join(path(), "half.txt"), "half\n");
  git(path(), "switch", "--quiet", "--detach");
  git(path(), "commit", "--quiet", "--allow-empty", "--message", "on no branch");
  const head = git(path(), "rev-parse", "HEAD").trim();
  await make(2);
  expect(existsSync(join(path(), "half.txt"))).toBe(false);
  expect(git(clone(), "show", "refs/nightshift/rescue/docs-1-abcd/1:half.txt")).toBe("half\n");
  expect(git(clone(), "rev-parse", `refs/nightshift/kept/docs-1-abcd/${head.slice(0, 12)}`).trim()).toBe(
    head,
  );
});

test("throws away no files of a tree that the agent has made into no repository any more", async () => {
  await make(1);
  rmSync(join(path(), ".git"));
  writeFileSync(join(path(), "half.txt"), "half\n");
  expect((await make(2, true)).problem).toContain(`moved to ${path()}.kept-1`);
  expect(status()).toBe("");
  expect(readFileSync(`${path()}.kept-1/half.txt`, "utf8")).toBe("half\n");
});

test("starts no program that an address names, whoever put it into the queue", async () => {
  const started = join(root, "started");
  await expect(make(1, false, `ext::touch ${started}`)).rejects.toThrow("'ext' not allowed");
  expect(existsSync(started)).toBe(false);
});
