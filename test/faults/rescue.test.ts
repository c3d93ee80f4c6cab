// @module-tag long

import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGit, readGitState } from "../../core/git.ts";
import { describeRescue } from "../../worker/session/describe-rescue.ts";
import { type Rescue, rescueWork } from "../../worker/session/rescue.ts";
import { applyRescue, listRescues, showRescue } from "../../worker/session/stored-rescues.ts";
import { Night } from "./night.ts";

let night: Night;
let repo = "";
beforeEach(() => {
  night = new Night();
  repo = night.repository("repo");
});
afterEach(() => night.dispose());

const git = () => createGit(repo, night.env);
const rescue = async (session = 1, worker = "night"): Promise<Rescue> => {
  const state = await readGitState(git(), repo);
  if (!state) throw new Error("no git state");
  return rescueWork(git(), { state, worker, session });
};
const show = (spec: string) => night.git("repo", "show", spec);

/** Everything a rescue must leave alone: tree, index, HEAD, branches, stash, configuration; bytes, modes and times. */
const fingerprint = (): string => {
  const hash = createHash("sha256");
  const visit = (folder: string) => {
    for (const name of readdirSync(folder).toSorted()) {
      const path = join(folder, name);
      const inGit = path.slice(repo.length).replace(/^\/(?:[^/]+\/)*?\.git\//, "");
      if (/(?:^|\/)(?:objects|refs\/nightshift|logs\/refs\/nightshift|nightshift)(?:\/|$)/.test(inGit))
        continue;
      const stat = lstatSync(path);
      if (stat.isDirectory()) visit(path);
      else
        hash.update(
          `${path} ${stat.mode} ${stat.mtimeMs} ${stat.ino}\0${stat.isFile() ? readFileSync(path, "base64") : ""}\0`,
        );
    }
  };
  visit(repo);
  return hash.digest("hex");
};

test("saves changed, staged, deleted, new, executable and linked files; branch, index, stash and tree stay byte for byte", async () => {
  night.write("repo/stashed.txt", "stash me\n");
  night.git("repo", "stash", "-u", "-q");
  night.write("repo/gone.txt", "gone\n");
  night.git("repo", "add", "-A");
  night.git("repo", "commit", "-qm", "second");
  night.write("repo/README.md", "changed\n");
  night.write("repo/staged.txt", "staged\n");
  night.git("repo", "add", "staged.txt");
  appendFileSync(join(repo, "staged.txt"), "and more\n");
  rmSync(join(repo, "gone.txt"));
  night.write("repo/tool.sh", "#!/bin/sh\n", 0o755);
  symlinkSync("README.md", join(repo, "link"));
  const before = fingerprint();
  const { saved, leftOut, unsaved } = await rescue();
  expect(fingerprint()).toBe(before);
  expect([saved.length, leftOut, unsaved]).toEqual([1, [], []]);
  expect(saved[0]).toMatchObject({ ref: "refs/nightshift/rescue/night/1", repository: "" });
  const ref = saved[0]?.ref ?? "";
  expect(show(`${ref}:README.md`)).toBe("changed\n");
  expect(show(`${ref}:staged.txt`)).toBe("staged\nand more\n");
  expect(night.git("repo", "ls-tree", "-r", ref, "tool.sh", "link")).toMatch(
    /^120000.*link\n100755.*tool\.sh\n$/s,
  );
  expect(night.git("repo", "ls-tree", "-r", "--name-only", ref)).not.toContain("gone.txt");
  expect(night.git("repo", "rev-parse", `${ref}^`)).toBe(night.git("repo", "rev-parse", "HEAD"));
});

test("names with blanks, quotes, line breaks, unicode, patterns and leading dashes are saved as they are", async () => {
  const names = [
    "a b.txt",
    "q\"'.txt",
    "line\nbreak.txt",
    "naïve 🌙.txt",
    "*.txt",
    ":(top)x",
    "-rf",
    "--all",
    "[a]",
    "tab\t",
    "\\back",
    " ",
  ];
  for (const name of names) night.write(join("repo", name), `${name}\n`);
  const before = fingerprint();
  const { saved } = await rescue();
  expect(fingerprint()).toBe(before);
  expect(saved[0]?.paths.toSorted()).toEqual(names.toSorted());
  for (const name of names) expect(show(`${saved[0]?.ref}:${name}`)).toBe(`${name}\n`);
  expect(await listRescues(git(), "night")).toMatchObject([
    { number: 1, paths: expect.arrayContaining(names) },
  ]);
});

test("nothing is made when there is nothing to save, nor a second time for the same work", async () => {
  expect(await rescue()).toEqual({ saved: [], leftOut: [], tooLarge: [], unsaved: [] });
  expect(existsSync(join(repo, ".git/refs/nightshift"))).toBe(false);
  night.write("repo/new.txt", "x\n");
  expect((await rescue(1)).saved).toHaveLength(1);
  expect((await rescue(2)).saved).toEqual([]);
  night.write("repo/new.txt", "y\n");
  expect((await rescue(2)).saved[0]?.number).toBe(2);
  night.write("repo/new.txt", "z\n");
  expect((await rescue(2)).saved[0]?.number).toBe(3); // a used number is never overwritten
});

test("files named like secrets are left out, staged ones too, and named; alone they make no rescue", async () => {
  night.write("repo/.env", "KEY=1\n");
  night.write("repo/deep/id_ed25519", "key\n");
  night.git("repo", "add", "-f", ".env");
  const { saved, leftOut } = await rescue();
  expect([saved, leftOut.toSorted()]).toEqual([[], [".env", "deep/id_ed25519"]]);
  night.write("repo/work.txt", "work\n");
  const again = await rescue();
  expect(night.git("repo", "ls-tree", "-r", "--name-only", again.saved[0]?.ref ?? "")).toBe(
    "README.md\nwork.txt\n",
  );
});

test("a branch without a commit, a detached HEAD, and a folder where a file was", async () => {
  night.git(".", "init", "-q", "unborn");
  const born = repo;
  repo = join(night.root, "unborn");
  night.write("unborn/first.txt", "first\n");
  night.write("unborn/.env", "KEY=1\n");
  night.git("unborn", "add", "-A");
  const unborn = await rescue();
  expect(unborn.leftOut).toEqual([".env"]);
  expect(night.git("unborn", "ls-tree", "-r", "--name-only", unborn.saved[0]?.ref ?? "")).toBe("first.txt\n");
  expect((await showRescue(git(), "night", undefined))[0]).toMatchObject({
    parent: undefined,
    paths: ["first.txt"],
  });

  repo = born;
  night.git("repo", "checkout", "-q", "--detach");
  rmSync(join(repo, "README.md"));
  night.write("repo/README.md/now-a-folder.txt", "x\n");
  const detached = await rescue();
  expect(night.git("repo", "ls-tree", "-r", "--name-only", detached.saved[0]?.ref ?? "")).toBe(
    "README.md/now-a-folder.txt\n",
  );
});

test("unmerged files are saved with their conflict, in the middle of a merge that goes on", async () => {
  night.git("repo", "checkout", "-qb", "other");
  night.write("repo/README.md", "theirs\n");
  night.git("repo", "commit", "-qam", "theirs");
  night.git("repo", "checkout", "-q", "main");
  night.write("repo/README.md", "ours\n");
  night.git("repo", "commit", "-qam", "ours");
  expect(() => night.git("repo", "merge", "-q", "other")).toThrow();
  const before = fingerprint();
  const { saved } = await rescue();
  expect(fingerprint()).toBe(before);
  expect(show(`${saved[0]?.ref}:README.md`)).toMatch(/<<<<<<< HEAD\nours\n=======\ntheirs/);
});

test("work inside submodules and clones goes to a ref of their own repository", async () => {
  night.repository("library");
  night.git(
    "repo",
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    join(night.root, "library"),
    "lib",
  );
  night.git("repo", "commit", "-qm", "with a submodule");
  night.write("repo/lib/inner.txt", "inner\n");
  night.repository("repo/clone of mine");
  night.write("repo/clone of mine/idea.txt", "idea\n");
  const before = fingerprint();
  const { saved } = await rescue();
  expect(fingerprint()).toBe(before);
  expect(saved.map(({ repository }) => repository).toSorted()).toEqual(["clone of mine/", "lib"]);
  expect(night.git("repo/lib", "show", "refs/nightshift/rescue/night/1:inner.txt")).toBe("inner\n");
  expect(night.git("repo/clone of mine", "show", "refs/nightshift/rescue/night/1:idea.txt")).toBe("idea\n");
  rmSync(join(repo, "lib/inner.txt"));
  rmSync(join(repo, "clone of mine/idea.txt"));
  await applyRescue(git(), "night", 1);
  expect(night.read("repo/lib/inner.txt")).toBe("inner\n");
  expect(night.read("repo/clone of mine/idea.txt")).toBe("idea\n");
});

test("two workers' names that differ in a dot have rescues of their own", async () => {
  night.write("repo/new.txt", "x\n");
  await rescue(1, "a.b");
  expect(await listRescues(git(), "a-b")).toEqual([]);
  expect(await listRescues(git(), "a.b")).toHaveLength(1);
});

test("apply brings everything back, or nothing where one file does not fit", async () => {
  night.write("repo/README.md", "changed\n");
  night.write("repo/bin.dat", "\u0000\u0001binary");
  chmodSync(join(repo, "bin.dat"), 0o755);
  await rescue();
  night.git("repo", "checkout", "-q", ".");
  rmSync(join(repo, "bin.dat"));
  const index = readFileSync(join(repo, ".git/index"), "base64");
  expect(await applyRescue(git(), "night", undefined)).toMatchObject([{ number: 1 }]);
  expect(night.read("repo/README.md")).toBe("changed\n");
  expect(lstatSync(join(repo, "bin.dat")).mode & 0o777).toBe(0o755);
  expect(readFileSync(join(repo, ".git/index"), "base64")).toBe(index);
  rmSync(join(repo, "bin.dat"));
  night.write("repo/README.md", "something else\n");
  await expect(applyRescue(git(), "night", 1)).rejects.toThrow(
    /does not fit .*nothing was changed.*git restore --source/s,
  );
  expect(existsSync(join(repo, "bin.dat"))).toBe(false);
  await expect(applyRescue(git(), "night", 7)).rejects.toThrow("worker night has no rescue 7; it has: 1");
  await expect(showRescue(git(), "nobody", undefined)).rejects.toThrow(
    /nothing was rescued for worker nobody/,
  );
});

test("what git cannot take is named with the reason, and the rest is saved", async () => {
  night.git("repo", "config", "filter.broken.clean", "false");
  night.git("repo", "config", "filter.broken.required", "true");
  night.write("repo/.gitattributes", "bad.txt filter=broken\n");
  night.write("repo/a.txt", "a\n");
  night.write("repo/bad.txt", "bad\n");
  night.write("repo/z.txt", "z\n");
  const { saved, unsaved } = await rescue();
  expect(saved[0]?.paths.toSorted()).toEqual([".gitattributes", "a.txt", "z.txt"]);
  expect(unsaved).toEqual([expect.stringMatching(/^bad\.txt \(.*filter .* failed.*\)$/)]);
});

test("a bare repository has no work tree, so there is nothing to rescue and nothing to list", async () => {
  night.git(".", "init", "-q", "--bare", "bare.git");
  const bare = createGit(join(night.root, "bare.git"), night.env);
  expect(await readGitState(bare, join(night.root, "bare.git"))).toBeUndefined();
  await expect(listRescues(bare, "night")).rejects.toThrow(/work tree/);
});

test("what is new and beyond the size budget is left out and named; small files and tracked ones are saved", async () => {
  truncateSync(night.write("repo/huge.bin", ""), 1024 ** 3);
  truncateSync(night.write("repo/README.md", ""), 11 * 1024 ** 2);
  for (let number = 1; number <= 7; number++)
    truncateSync(night.write(`repo/part-${number}`, ""), 9 * 1024 ** 2);
  night.write("repo/src/a.ts", "export {};\n");
  const { saved, tooLarge, unsaved } = await rescue();
  expect(unsaved).toEqual([]);
  expect(tooLarge).toEqual(["part-6 (9.0 MiB)", "part-7 (9.0 MiB)", "huge.bin (1024.0 MiB)"]);
  expect(saved[0]?.paths.toSorted()).toEqual([
    "README.md",
    ...[1, 2, 3, 4, 5].map((number) => `part-${number}`),
    "src/a.ts",
  ]);
  const line = describeRescue({ saved, tooLarge, unsaved, leftOut: [] });
  expect(line).toMatch(/left out part-6 .*huge\.bin \(1024\.0 MiB\) \(beyond the size limit of a rescue\)/);
});

test("a repository inside starts nothing that its configuration names, and is saved all the same", async () => {
  night.repository("repo/inner");
  const trap = night.write("trap", `#!/bin/sh\ntouch ${night.root}/sprung\ncat\n`, 0o755);
  const set = (key: string, value = trap) => night.git("repo/inner", "config", key, value);
  night.write("repo/inner/new.txt", "new\n");
  night.write("repo/inner/.gitattributes", "* filter=a\nnew.txt filter=b=c\n");
  night.write("repo/inner/hooks/reference-transaction", `#!/bin/sh\ntouch ${night.root}/sprung\n`, 0o755);
  for (const filter of ["a", "b=c"]) {
    set(`filter.${filter}.clean`);
    set(`filter.${filter}.process`);
    set(`filter.${filter}.required`, "true");
  }
  set("core.fsmonitor");
  set("core.hooksPath", join(repo, "inner/hooks"));
  night.write("repo/inner/README.md", "changed\n");
  const { saved, unsaved } = await rescue();
  expect(existsSync(join(night.root, "sprung"))).toBe(false);
  expect(unsaved).toEqual([]);
  expect(saved[0]?.repository).toBe("inner/");
  expect(night.git("repo/inner", "show", `${saved[0]?.ref}:new.txt`)).toBe("new\n");
});
