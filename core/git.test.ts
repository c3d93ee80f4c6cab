import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bunBinary } from "../test/bun.ts";
import { waitFor } from "../test/wait-for.ts";
import { createGit, readGitState } from "./git.ts";
import { readFileIfThere } from "./read-file.ts";

let dir = "";
const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-git-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("answers with what git prints, and fails with git's own words", async () => {
  const git = createGit(dir, env);
  expect(await git.run(["hash-object", "--stdin"], { input: "hello\n" })).toBe(
    "ce013625030ba8dba906f756967f9e9ca394464a\n",
  );
  await expect(git.run(["rev-parse", "--git-dir"])).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/^git rev-parse failed in .*: fatal: not a git repository/),
  });
  await expect(createGit(dir, { PATH: dir }).run(["status"])).rejects.toMatchObject({
    message: "git was not found on PATH; install it",
  });
});

test("tells a folder that is no repository from one that git cannot read", async () => {
  const git = createGit(dir, env);
  expect(await readGitState(git, dir)).toBeUndefined();
  await git.run(["init", "--quiet"]);
  expect(await readGitState(git, dir)).toMatchObject({ head: undefined, changed: [] });
  writeFileSync(join(dir, ".git/index"), "broken");
  await expect(readGitState(git, dir)).rejects.toThrow(/index file smaller than expected/);
});

test("Ctrl-C at our terminal does not reach a git that is at work", async () => {
  const program = join(dir, "git");
  writeFileSync(program, '#!/bin/sh\necho up > "$2/up"\nsleep 0.2\necho whole\n', { mode: 0o755 });
  const code = `
    import { createGit } from ${JSON.stringify(join(import.meta.dirname, "git.ts"))};
    process.on("SIGINT", () => {});
    console.log(await createGit(${JSON.stringify(dir)}, { PATH: ${JSON.stringify(`${dir}:${env.PATH}`)} }).run(["x"]));`;
  const child = spawn(bunBinary(), ["-e", code], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  const ended = new Promise((resolve) => child.once("close", resolve));
  await waitFor("git", () => readFileIfThere(join(dir, "up")));
  process.kill(-(child.pid ?? 0), "SIGINT"); // as a terminal does: to the whole group
  expect(await ended).toBe(0);
  expect(out).toBe("whole\n\n");
});
