import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGit } from "../../core/git.ts";
import { readPatch } from "./patch.ts";

let dir = "";
const git = (...args: string[]) =>
  execFileSync("git", ["-C", dir, "-c", "user.name=P", "-c", "user.email=p@localhost", ...args], {
    encoding: "utf8",
  }).trim();
const commit = (files: Record<string, string>, title: string): string => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  git("add", "--all", "--force");
  git("commit", "--quiet", "--message", title);
  return `${git("rev-parse", "--short", "HEAD")} ${title}`;
};

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-patch-")));
  git("init", "--quiet");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("tells how much a session's commits changed, and the patch without secrets", async () => {
  commit({ "a.txt": "one\n" }, "First");
  const headBefore = git("rev-parse", "HEAD");
  const key = `sk-ant-api03-${"a1B2".repeat(23)}-abcdefAA`;
  const commits = [
    commit({ "a.txt": "one\ntwo\n" }, "Add two"),
    commit({ "b.txt": `key = "${key}"\n`, ".env": "TOKEN=abc\n", "a b.txt": "x\n" }, "Add b"),
  ];
  const told = await readPatch(createGit(dir, process.env), { headBefore, commits });
  expect(told?.data).toMatchObject({ commits, files: 4, insertions: 4, deletions: 0, leftOut: 1 });
  expect(told?.text).toContain("+two");
  expect(told?.text).toContain("[REDACTED");
  expect(told?.text).not.toContain(key);
  expect(told?.text).not.toContain("TOKEN=abc");
});

test("a patch of a new repository begins with nothing; no commit has none", async () => {
  const commits = [commit({ "a.txt": "one\n" }, "First")];
  const here = createGit(dir, process.env);
  expect((await readPatch(here, { headBefore: undefined, commits }))?.text).toContain("+one");
  expect(await readPatch(here, { headBefore: undefined, commits: [] })).toBeUndefined();
});

test("a patch is cut at a file's end below 256 KiB, and what is left out is counted", async () => {
  const lines = (name: string) =>
    Array.from({ length: 3_000 }, (_, at) => `${name} ${at} ${"x".repeat(40)}`).join("\n");
  const files = Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}.txt`, lines(name)]));
  const commits = [commit(files, "Much")];
  const told = await readPatch(createGit(dir, process.env), { headBefore: undefined, commits });
  expect(told?.text?.length).toBeLessThanOrEqual(256 * 1024);
  expect(told?.data).toMatchObject({ files: 4, leftOut: 3 });
});
