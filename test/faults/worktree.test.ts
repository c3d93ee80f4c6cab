// @module-tag long

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedStep } from "../../agents/scripted/script.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const WORKER = resolve(import.meta.dirname, "../../dist/scripts/worker.js");
const worker = (...args: string[]) =>
  spawnSync(process.execPath, [WORKER, ...args], { cwd: night.root, env: night.env, encoding: "utf8" });
const HANG: ScriptedStep[] = [{ do: "append", file: "busy.txt", text: "x\n" }, { do: "hang" }];

const inWorktree = (name: string, steps: ScriptedStep[] = FINISH, dir = "repo") =>
  night.plan({ name, dir, health: "exit 0", worktree: true, parts: [{ steps }] });

test("a worker with a worktree works beside the repository on a branch of its own; the repository stays as it was", async () => {
  const request = await inWorktree("one");
  const { worktree } = request;
  expect(worktree).toEqual({
    path: join(night.root, "repo.worktrees/one"),
    branch: "nightshift/one",
    repository: join(night.root, "repo"),
  });
  expect(existsSync(worktree?.path ?? "")).toBe(false); // planning makes nothing
  const state = await night.run(request);
  expect(state).toMatchObject({ status: "complete", dir: worktree?.path, worktree });
  expect(night.git("repo", "log", "--format=%s", "nightshift/one")).toBe("line\nfirst\n");
  expect(night.git("repo", "log", "--format=%s", "main")).toBe("first\n");
  expect(night.git("repo", "status", "--porcelain")).toBe("");
});

test("several workers of one repository work at the same time, each in its worktree", async () => {
  night.repository("repo", "exit 0");
  await Promise.all(["one", "two"].map(async (name) => night.start(await inWorktree(name, HANG))));
  await night.until("both busy", () =>
    ["one", "two"].every((name) => existsSync(join(night.root, `repo.worktrees/${name}/busy.txt`))),
  );
  expect(["one", "two"].map((name) => night.worker(name).shown)).toEqual(["running", "running"]);
});

/** `git worktree add`, killed while it checks the files out. */
const killedAdd = async () => {
  night.repository("repo", "exit 0");
  for (let number = 0; number < 50; number++) night.write(`repo/many/${number}.txt`, `${number}\n`);
  night.write("repo/.gitattributes", "zz.slow filter=slow\n");
  night.write("repo/many/zz.slow", "slow\n");
  night.git("repo", "add", "-A");
  night.git("repo", "commit", "-qm", "many");
  const smudge = `touch ${night.root}/up; while :; do sleep 0.1; done`;
  const path = join(night.root, "repo.worktrees/one");
  const add = spawn(
    "git",
    ["-c", `filter.slow.smudge=${smudge}`, "worktree", "add", "--quiet", "-b", "nightshift/one", path],
    { cwd: join(night.root, "repo"), env: night.env, detached: true },
  );
  await night.until("the checkout", () => existsSync(join(night.root, "up")));
  const gone = once(add, "exit");
  process.kill(-(add.pid ?? 0), "SIGKILL");
  await gone;
  return path;
};

test("a worktree that a killed git left half-made is made again, and nothing is committed as deleted", async () => {
  const path = await killedAdd();
  expect(existsSync(join(path, ".git"))).toBe(true);
  const state = await night.run(await inWorktree("one"));
  expect(state.status).toBe("complete");
  expect(night.git("repo", "diff", "--name-status", "main", "nightshift/one")).toBe("A\twork.txt\n");
  expect(existsSync(join(path, "many/zz.slow"))).toBe(true);
});

test("a half-made worktree whose folder is gone keeps nobody from making it", async () => {
  rmSync(await killedAdd(), { recursive: true });
  expect(await night.run(await inWorktree("one"))).toMatchObject({ status: "complete" });
});

test("a worktree of an earlier version, without a mark, is gone on with, uncommitted work and all", async () => {
  await night.finish(await inWorktree("one"));
  rmSync(join(night.root, "repo/.git/worktrees/one/nightshift"), { recursive: true });
  night.write("repo.worktrees/one/ignored/own.txt", "x\n");
  await night.run(await inWorktree("one"));
  expect(night.git("repo", "log", "--format=%s", "nightshift/one")).toBe("line\nline\nfirst\n");
  expect(night.read("repo.worktrees/one/ignored/own.txt")).toBe("x\n");
});

test("a folder in the worktree's place that is not git's is left alone", async () => {
  night.repository("repo", "exit 0");
  night.write("repo.worktrees/one/precious.txt", "x\n");
  await expect(night.run(await inWorktree("one"))).rejects.toMatchObject({ code: "conflict" });
  expect(night.read("repo.worktrees/one/precious.txt")).toBe("x\n");
});

test("a subdirectory stays a subdirectory, and a fresh start goes on in the same worktree", async () => {
  night.repository("repo", "exit 0");
  night.write("repo/docs/a.md", "a\n");
  night.git("repo", "add", "-A");
  night.git("repo", "commit", "-qm", "docs");
  const state = await night.run(await inWorktree("one", FINISH, "repo/docs"));
  expect(state.dir).toBe(join(night.root, "repo.worktrees/one/docs"));
  expect(await night.run(await inWorktree("one", FINISH, "repo/docs"))).toMatchObject({ session: 1 });
  expect(night.git("repo", "log", "--format=%s", "nightshift/one")).toBe("line\nline\ndocs\nfirst\n");
});

test("a resume makes a worktree that somebody deleted again, from its branch", async () => {
  const state = await night.run({
    ...(await inWorktree("one", [{ do: "say", text: "HANDOFF: x" }])),
    max: 1,
  });
  expect(state.status).toBe("max-reached");
  rmSync(join(night.root, "repo.worktrees"), { recursive: true });
  await night.run(await night.resumeRequest("one"));
  expect(existsSync(join(night.root, "repo.worktrees/one/README.md"))).toBe(true);
});

test("remove keeps a worktree whose work is nowhere else, and says what that is", async () => {
  await night.finish(await inWorktree("one"));
  night.write("repo.worktrees/one/new.txt", "x\n");
  const kept = worker("remove", "one", "--json");
  expect(kept.status).toBe(75);
  const answer = JSON.parse(kept.stdout) as { error: string; uncommitted: string[]; unmerged: string[] };
  expect(answer.uncommitted).toEqual(["new.txt"]);
  expect(answer.unmerged).toEqual([expect.stringMatching(/^[0-9a-f]+ line$/)]);
  expect(answer.error).toMatch(/git merge nightshift\/one.*worker remove one --force/s);
  expect(existsSync(join(night.root, "repo.worktrees/one/new.txt"))).toBe(true);
  expect(night.worker("one").shown).toBe("complete");
});

test("remove takes a worktree away when its work is merged", async () => {
  await night.finish(await inWorktree("one"));
  night.git("repo", "merge", "-q", "nightshift/one");
  expect(worker("remove", "one").status).toBe(0);
  expect(existsSync(join(night.root, "repo.worktrees/one"))).toBe(false);
  expect(night.git("repo", "branch", "--list", "nightshift/*")).toBe("");
  expect(existsSync(night.files("one").state)).toBe(false);
});

test("a forced remove says where the branch stood and rescues what was not committed", async () => {
  await night.finish(await inWorktree("one"));
  const tip = night.git("repo", "rev-parse", "nightshift/one").trim();
  night.write("repo.worktrees/one/new.txt", "x\n");
  const removed = worker("remove", "one", "--force");
  expect(removed.status).toBe(0);
  expect(removed.stdout).toContain(`git branch nightshift/one ${tip.slice(0, 12)}`);
  expect(existsSync(join(night.root, "repo.worktrees/one"))).toBe(false);
  expect(night.git("repo", "show", "refs/nightshift/rescue/one/1:new.txt")).toBe("x\n");
});

const configure = (dir: string) => {
  const script = night.write("script.json", JSON.stringify({ parts: [{ steps: FINISH }] }));
  night.write(join(dir, "agent.config.json"), JSON.stringify({ agents: { scripted: { script } } }));
};

test("without a repository or a commit it is refused before anything is made", async () => {
  const start = (dir: string) =>
    worker("start", "one", "--task", "x", "--agent", "scripted", "--dir", dir, "--worktree");
  configure("plain");
  const plain = start("plain");
  expect([plain.status, plain.stderr]).toEqual([
    64,
    expect.stringMatching(/--worktree needs a git repository/),
  ]);
  night.git(".", "init", "-q", "unborn");
  configure("unborn");
  const unborn = start("unborn");
  expect([unborn.status, unborn.stderr]).toEqual([64, expect.stringMatching(/has no commit yet/)]);
  expect(existsSync(join(night.root, "unborn.worktrees"))).toBe(false);
});

test("a dry run shows the worktree's folder and makes none", async () => {
  night.repository("repo");
  configure("repo");
  const shown = worker(
    "start",
    "one",
    "--task",
    "x",
    "--agent",
    "scripted",
    "--dir",
    "repo",
    "--worktree",
    "--dry-run",
  );
  expect(shown.status).toBe(0);
  expect(shown.stdout).toContain(join(night.root, "repo.worktrees/one"));
  expect(existsSync(join(night.root, "repo.worktrees"))).toBe(false);
});
