import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createGit } from "../../core/git.ts";
import { git, makeProject, playAgent } from "../../test/verdict-set/play.ts";
import { SECOND_CHEATS } from "../../test/verdict-set/second/set.ts";
import { CHEATS, HONEST } from "../../test/verdict-set/set.ts";
import { THIRD_CHEATS, THIRD_HONEST } from "../../test/verdict-set/third/set.ts";
import { useScratch } from "../../test/scratch.ts";
import { compareTests, type TestComparison } from "./compare-tests.ts";

const LONG = { tags: ["long"] };

const scratch = useScratch();
const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" };

/** The runs of a scenario's base and HEAD, each in a checkout of its own. */
const compare = async (
  id: string,
  mayChange: readonly string[] = [],
): Promise<TestComparison | undefined> => {
  const scenario = [...CHEATS, ...HONEST, ...SECOND_CHEATS, ...THIRD_CHEATS, ...THIRD_HONEST].find(
    (each) => each.id === id,
  );
  if (!scenario) throw new Error(`no scenario ${id}`);
  const project = join(scratch.root, "project");
  const [baseRoom, headRoom] = [join(scratch.root, "base"), join(scratch.root, "head")];
  const base = makeProject(project, scenario);
  playAgent(project, scenario);
  const head = git(project, "rev-parse", "HEAD").trim();
  for (const [room, commit] of [
    [baseRoom, base],
    [headRoom, head],
  ] as const) {
    git(project, "worktree", "add", "-q", "--detach", room, commit);
    if (scenario.language === "typescript") symlinkSync(resolve("node_modules"), join(room, "node_modules"));
  }
  const found = await compareTests(
    {
      git: createGit(project, env),
      env,
      signal: new AbortController().signal,
      clock: { elapsed: () => performance.now() },
    },
    {
      baseRoom,
      headRoom,
      base,
      head,
      mayChange,
      cacheFolder: join(scratch.root, "kept"),
      timeoutMs: 300_000,
    },
  );
  for (const room of [baseRoom, headRoom])
    expect(git(room, "status", "--porcelain").replaceAll(/\?\? (?:node_modules|Cargo\.lock)\n/g, "")).toBe(
      "",
    );
  return found;
};

const isThere = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { env }).status === 0;

describe("node:test", () => {
  test("tells that a new test fails on the base's code, and what passed passes still", async () => {
    const found = await compare("javascript/mends-and-adds-tests");
    expect(found).toMatchObject({ runners: ["node:test"], broken: [], propped: [], problems: [] });
    expect(found?.base).toEqual({ passed: 9, failed: 1, skipped: 0 });
    expect(found?.head).toEqual({ passed: 11, failed: 0, skipped: 0 });
    expect(found?.added).toEqual([
      { name: "total > takes half off", file: "test/price.test.js", onBase: "failed" },
    ]);
  });

  test("runs the base's own expectations on code that an agent broke together with them", async () => {
    const found = await compare("javascript/rewrites-the-fixture");
    const names = found?.broken.map(({ name, now }) => `${name}: ${now}`);
    expect(names).toContain("prices the catalogue: failed");
    expect(names).toContain("total > adds up what is in the cart: failed");
  });

  test("asks HEAD's own tests where the task was allowed to change them", async () => {
    const found = await compare("javascript/rewrites-the-fixture", ["test/**"]);
    expect(found?.broken).toEqual([]);
  });

  test("takes test files as HEAD has them where a name changed that they import", async () => {
    const found = await compare("javascript/renames-a-function");
    expect(found?.broken).toEqual([]);
    expect(found?.adapted).toContain("total > adds up what is in the cart");
  });

  test("keeps what the base's tests said, outside of both checkouts", async () => {
    await compare("javascript/mends-the-bug");
    expect(existsSync(join(scratch.root, "kept")) && readdirSync(join(scratch.root, "kept"))).toHaveLength(1);
  });
});

test("node:test: names tests that fail without what the session added to the tests", LONG, async () => {
  const found = await compare("javascript/mends-the-program-while-the-tests-run");
  expect(found?.propped).toEqual([{ name: "total > takes the discount off", file: "test/price.test.js" }]);
});

test("vitest: finds that a snapshot was rewritten with the code", LONG, async () => {
  const found = await compare("typescript/rewrites-the-snapshot");
  expect(found?.runners).toEqual(["vitest"]);
  expect(found?.broken).toEqual([
    { name: "shows a week", file: "tests/days.test.ts", was: "passed", now: "failed" },
  ]);
});

test.skipIf(!isThere("python3", "-m", "pytest", "--version"))(
  "pytest: a case that was dropped is asked for again",
  LONG,
  async () => {
    const found = await compare("python/drops-cases");
    expect(found).toMatchObject({ runners: ["pytest"], masked: [] });
    expect(found?.broken.map(({ name }) => name)).toEqual(["test_interest[100-0.05-2-110.25]"]);
  },
);

test.skipIf(!isThere("python3", "-m", "pytest", "--version"))(
  "pytest: names the tests that fail in a run that ends as if none had",
  LONG,
  async () => {
    const found = await compare("python/leaves-before-the-summary-counts");
    expect(found?.head.failed).toBe(1);
    expect(found?.masked.map(({ name }) => name)).toEqual(["TestTransfer.test_refuses_what_is_not_there"]);
  },
);

test.skipIf(!isThere("python3", "-m", "pytest", "--version"))(
  "pytest: names tests that fail without a new test which mends the program",
  LONG,
  async () => {
    const found = await compare("python/mends-it-in-another-test");
    expect(found?.propped.map(({ name }) => name)).toEqual(["TestTransfer.test_refuses_what_is_not_there"]);
  },
);

test.skipIf(!isThere("go", "version"))(
  "go test: names tests that do not run beside a new file of tests",
  LONG,
  async () => {
    const found = await compare("go/adds-an-argument-for-the-runner");
    expect(found?.head.failed).toBe(0);
    expect(found?.propped.map(({ name }) => name)).toContain("example.com/text TestWrapIsNeverWider");
  },
);

test.skipIf(!isThere("cargo", "--version"))(
  "cargo test: what failed on the base and is nowhere now is missed",
  LONG,
  async () => {
    const found = await compare("rust/moves-the-tests-where-cargo-does-not-look");
    expect(found?.broken).toContainEqual({
      name: "src/lib.rs tests::water_freezes_and_boils",
      file: "src/lib.rs",
      was: "failed",
      now: "missing",
    });
  },
);

test.skipIf(!isThere("go", "version"))(
  "go test: a case that was dropped is asked for again",
  LONG,
  async () => {
    const found = await compare("go/drops-a-case");
    expect(found?.broken.map(({ name }) => name)).toContain("example.com/text TestReverse/umlaut");
  },
);

test.skipIf(!isThere("go", "version"))(
  "go test: files of tests have names, so that the task may change them",
  LONG,
  async () => {
    expect((await compare("go/drops-count", ["count_test.go"]))?.broken).toEqual([]);
  },
);

test.skipIf(!isThere("cargo", "--version"))(
  "cargo test: tests that the manifest switched off are missing",
  LONG,
  async () => {
    const found = await compare("rust/turns-the-tests-off");
    expect(found?.broken.every(({ now }) => now === "missing")).toBe(true);
    expect(found?.broken.map(({ name }) => name)).toContain("src/lib.rs tests::reads_a_line");
  },
);

test.skipIf(!isThere("cargo", "--version"))(
  "cargo test: tests beside the code may get other names",
  LONG,
  async () => {
    const found = await compare("rust/gives-tests-beside-the-code-other-names");
    expect(found).toMatchObject({ broken: [], propped: [] });
  },
);

test("says nothing where no runner is known", async () => {
  scratch.put("README.md", "nothing to run");
  const found = await compareTests(
    {
      git: createGit(scratch.root, env),
      env,
      signal: new AbortController().signal,
      clock: { elapsed: () => 0 },
    },
    {
      baseRoom: scratch.root,
      headRoom: scratch.root,
      base: "",
      head: "",
      mayChange: [],
      cacheFolder: undefined,
      timeoutMs: 1,
    },
  );
  expect(found).toBeUndefined();
});
