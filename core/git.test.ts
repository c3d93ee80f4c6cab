import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bunBinary } from "../test/bun.ts";
import { waitFor } from "../test/wait-for.ts";
import { createGit, gitUntil, readGitState } from "./git.ts";
import { isPassing } from "./passing-failure.ts";
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

/** A `git` that does something else, first on PATH. */
const fakeGit = (script: string) => {
  writeFileSync(join(dir, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...env, PATH: `${dir}:${env.PATH}` };
};
const pidsOf = (file: string): number[] =>
  (readFileIfThere(join(dir, file)) ?? "").split("\n").filter(Boolean).map(Number);
const isThere = (pid: number): boolean => readFileIfThere(`/proc/${pid}/stat`)?.includes(") Z ") === false;

test("git that takes too long is ended with everything it started, and the failure names command, folder and seconds", async () => {
  const slow = fakeGit(
    `(setsid sleep 1000 & echo $! > ${dir}/pids); echo $$ >> ${dir}/pids; exec sleep 1000`,
  );
  const git = createGit(dir, slow, { limits: { readMs: 3_000 } });
  await expect(git.run(["rev-parse", "HEAD"])).rejects.toMatchObject({
    code: "timeout",
    message: `git rev-parse in ${dir} did not finish within 3 s, and was ended`,
  });
  expect(pidsOf("pids").length).toBe(2);
  expect(pidsOf("pids").filter(isThere)).toEqual([]);
});

test.each([
  ["git itself", "kill -9 $$"],
  ["a program that git has started", "echo 'error: pack-objects died of signal 9' >&2; exit 128"],
])("%s being killed is no answer of git's: it is thrown, and passes by itself", async (_, script) => {
  const git = createGit(dir, fakeGit(script));
  const error: unknown = await git.find(["rev-parse", "HEAD"]).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "unavailable" });
  expect(isPassing(error)).toBe(true);
});

test("a killed git that only reads is asked again; one that writes is not", async () => {
  const git = createGit(
    dir,
    fakeGit(`echo x >> ${dir}/calls; [ $(wc -l < ${dir}/calls) -gt 2 ] || kill -9 $$; echo head`),
  );
  expect(await git.run(["rev-parse", "HEAD"])).toBe("head\n");
  rmSync(join(dir, "calls"));
  await expect(git.run(["update-ref", "refs/heads/main", "HEAD"])).rejects.toMatchObject({
    message: expect.stringContaining("ended with SIGKILL"),
  });
  expect(readFileIfThere(join(dir, "calls"))).toBe("x\n");
});

test("what git had no time to say is not taken for a no", async () => {
  const git = createGit(dir, fakeGit("exec sleep 1000"));
  await expect(git.find(["rev-parse", "HEAD"], { timeoutMs: 200 })).rejects.toMatchObject({
    code: "timeout",
  });
});

test("a transfer that stays silent is ended, one that tells how far it is goes on", async () => {
  const silent = createGit(dir, fakeGit("exec sleep 1000"), { limits: { silentMs: 500 } });
  await expect(silent.run(["fetch", "--quiet", "origin"])).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringContaining("git fetch"),
  });
  const script = `echo "$@" > ${dir}/args; for n in 1 2 3 4 5 6 7 8; do printf 'Receiving objects:  %s%% (1/9)\\r' $n >&2; sleep 0.7; done; echo "fatal: that was all" >&2; exit 1`;
  const lively = createGit(dir, fakeGit(script), { limits: { silentMs: 5_000 } });
  await expect(lively.run(["fetch", "--quiet", "origin"])).rejects.toMatchObject({
    code: "unavailable",
    message: `git fetch failed in ${dir}: fatal: that was all`,
  });
  expect(readFileIfThere(join(dir, "args"))).toContain("fetch --progress --quiet origin");
});

test("an abort ends what is under way, and begins nothing more", async () => {
  const stop = new AbortController();
  const git = gitUntil(createGit(dir, fakeGit(`echo $$ > ${dir}/pids; exec sleep 1000`)), stop.signal);
  const under = git.run(["push", "origin"]);
  const ended = expect(under).rejects.toMatchObject({ code: "interrupted" });
  await waitFor("git", () => pidsOf("pids").length > 0);
  stop.abort();
  await ended;
  expect(pidsOf("pids").filter(isThere)).toEqual([]);
  rmSync(join(dir, "pids"));
  await expect(git.find(["push", "origin"])).rejects.toMatchObject({ code: "interrupted" });
  expect(pidsOf("pids")).toEqual([]);
});

test("a repository's hooks and file watcher are not started", async () => {
  const git = createGit(dir, env);
  await git.run(["init", "--quiet"]);
  const trap = join(dir, "trap");
  writeFileSync(trap, `#!/bin/sh\ntouch ${dir}/sprung\n`, { mode: 0o755 });
  mkdirSync(join(dir, "hooks"));
  writeFileSync(join(dir, "hooks/reference-transaction"), `#!/bin/sh\ntouch ${dir}/sprung\n`, {
    mode: 0o755,
  });
  await git.run(["config", "core.fsmonitor", trap]);
  await git.run(["config", "core.hooksPath", join(dir, "hooks")]);
  await readGitState(git, dir);
  const commit = ["-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "--quiet", "--allow-empty"];
  await git.run([...commit, "--message", "first"]);
  expect(existsSync(join(dir, "sprung"))).toBe(false);
});

test("a large changed file is not read, and a pipe in its place holds nobody up", async () => {
  const git = createGit(dir, env);
  await git.run(["init", "--quiet"]);
  writeFileSync(join(dir, "big"), "");
  truncateSync(join(dir, "big"), 2 ** 33);
  writeFileSync(join(dir, "small"), "one");
  const first = await readGitState(git, dir);
  writeFileSync(join(dir, "small"), "two");
  const second = await readGitState(git, dir);
  expect(first?.dirtyDigest).toMatch(/^[0-9a-f]{12}$/);
  expect(second?.dirtyDigest).not.toBe(first?.dirtyDigest);
});
