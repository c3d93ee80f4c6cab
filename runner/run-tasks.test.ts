import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { findIdentity } from "../core/process-identity.ts";
import { waitFor } from "../test/wait-for.ts";
import { CLI, useTaskProject } from "./fixtures/task-project.ts";

const LONG = { tags: ["long"] };

const { files, task, trust, start, run } = useTaskProject();

const appears = (path: string) => waitFor(`${path} to be there`, () => files.has(path));

test("runs what a task needs first, side by side where it can, and nothing else", async () => {
  // Each of the two waits for the other's file: they end only when they run at the same time.
  task("left", "run: ({ $ }) => $`touch left; until [ -e right ]; do :; done`");
  task("right", "run: ({ $ }) => $`touch right; until [ -e left ]; do :; done`");
  task(
    "both",
    `needs: ["left", "right"], run: async ({ $ }) => { await $\`test -e left && test -e right && touch both\`; }`,
  );
  task("other", "run: ({ $ }) => $`touch other`");
  const { status } = await run("both");
  expect(status).toBe(0);
  expect([files.has("both"), files.has("other")]).toEqual([true, false]);
});

test("the first failure gives the exit code, shows its last lines, and starts nothing that needs it", async () => {
  task("bad", "run: ({ $ }) => $`echo the reason why; exit 7`");
  task("after", `needs: ["bad"], run: ({ $ }) => $\`touch after\``);
  const { status, stderr } = await run("after");
  expect(status).toBe(7);
  expect(stderr).toContain("task bad: a command exited with 7");
  expect(stderr).toContain("the reason why");
  expect(files.has("after")).toBe(false);
});

test("is skipped while its inputs say the same, and runs again when one, an output, or an argument changes", async () => {
  files.put("in.txt", "1");
  task(
    "gen",
    `inputs: ["in.txt"], outputs: ["out.txt"], args: { mark: { type: "string", description: "m", default: "a" } }, run: ({ $, args }) => $\`cat in.txt > out.txt; echo \${args.mark} >> runs\``,
  );
  const runs = () => files.read("runs").trim().split("\n").length;
  await run("gen");
  expect((await run("gen")).stdout).toContain("nothing changed");
  expect(runs()).toBe(1);
  files.put("in.txt", "2");
  await run("gen");
  expect([runs(), files.read("out.txt")]).toEqual([2, "2"]);
  files.put("out.txt", "spoilt");
  await run("gen");
  expect([runs(), files.read("out.txt")]).toEqual([3, "2"]);
  await run("gen", "--mark", "b");
  expect(runs()).toBe(4);
  await run("--no-cache", "gen", "--mark", "b");
  expect(runs()).toBe(5);
});

test("a task may be a plain function that returns nothing", async () => {
  task("plain", `run: ({ log }) => { log("said so"); }`);
  expect(await run("plain")).toMatchObject({ status: 0, stdout: expect.stringContaining("said so") });
});

test("arguments are checked, typed and helped with", async () => {
  task(
    "cut",
    `args: { version: { type: "string", description: "which one", required: true }, count: { type: "number", description: "n", default: 2 } }, run: async ({ args, log }) => log(args.version + " " + (args.count + 1))`,
  );
  expect((await run("cut", "--version", "1.2", "--count", "4")).stdout).toContain("cut | 1.2 5");
  expect(await run("cut")).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("--version is missing"),
  });
  expect(await run("cut", "--version", "1", "--count", "x")).toMatchObject({ status: 64 });
  expect((await run("cut", "--help")).stdout).toContain("--version <string>");
});

test.each([
  [
    "a circle",
    { a: `needs: ["b"], run: async () => {}`, b: `needs: ["a"], run: async () => {}` },
    "a -> b -> a",
  ],
  [
    "an unknown need",
    { build: `run: async () => {}`, test: `needs: ["biuld"], run: async () => {}` },
    'did you mean "build"?',
  ],
  [
    "a name taken twice",
    { one: `name: "same", run: async () => {}`, two: `name: "same", run: async () => {}` },
    'the name "same" is taken by tasks/one.ts',
  ],
])("names %s before anything runs", async (_, files, message) => {
  for (const [name, body] of Object.entries(files)) task(name, body);
  trust();
  const { status, stderr } = await start(["tasks"]).ended;
  expect(status).toBe(78);
  expect(stderr).toContain(message);
});

test("names a file that exports no task, and an unknown task with the nearest known one", async () => {
  files.put("tasks/empty.ts", "export const x = 1;\n");
  trust();
  expect((await start(["tasks"]).ended).stderr).toContain("tasks/empty.ts: exports no task");
  rmSync(join(files.root, "tasks/empty.ts"));
  task("build", "run: async () => {}");
  expect(await run("biuld")).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("did you mean build?"),
  });
});

test("shows the plan without running it", async () => {
  task("first", "run: ({ $ }) => $`touch ran`");
  task("second", `needs: ["first"], lock: "db", run: ({ $ }) => $\`touch ran\``);
  const { stdout } = await run("second", "--dry-run");
  expect(stdout.split("\n").slice(0, 2)).toEqual([
    expect.stringContaining("1  first"),
    expect.stringContaining("2  second"),
  ]);
  expect(stdout).toContain("after first; lock db");
  expect(files.has("ran")).toBe(false);
});

test("two processes never hold one lock at the same time", async () => {
  task("locked", `lock: "db", run: ({ $ }) => $\`mkdir inside || exit 9; echo x >> entered; rmdir inside\``);
  const results = await Promise.all([run("locked"), run("locked"), run("locked")]);
  expect(results.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect(files.read("entered").trim().split("\n")).toHaveLength(3);
});

test("a failure is tried again as often as declared", async () => {
  task("flaky", "retries: 2, run: ({ $ }) => $`echo x >> tries; test $(wc -l < tries) -ge 3`");
  expect((await run("flaky")).status).toBe(0);
  expect(files.read("tries").trim().split("\n")).toHaveLength(3);
});

test("a task over its time limit is ended with everything it started", async () => {
  // Long enough for a busy machine to start the shell that says who it is.
  task("slow", "timeoutSeconds: 5, run: ({ $ }) => $`sh -c 'echo $$ > pid; sleep 600' & wait`");
  const { status, stderr } = await run("slow");
  expect(status).toBe(1);
  expect(stderr).toContain("took longer than 5 s");
  expect(findIdentity(Number(files.read("pid")))).toBeUndefined();
});

test("Ctrl-C ends the children, releases the lock and exits 130", async () => {
  task("long", `lock: "db", run: ({ $ }) => $\`sh -c 'echo $$ > pid; touch started; sleep 600' & wait\``);
  const { child, ended } = start(["run", "long"]);
  await appears("started");
  expect(files.has(".nightshift/locks/db.lock")).toBe(true);
  child.kill("SIGINT");
  expect((await ended).status).toBe(130);
  expect(findIdentity(Number(files.read("pid")))).toBeUndefined();
  expect(files.has(".nightshift/locks/db.lock")).toBe(false);
});

test("JSON lines tell every start, line and end; GitHub gets groups and an error", async () => {
  task("talk", "run: ({ $ }) => $`echo hello; exit 3`");
  const lines = (await run("--json", "talk")).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    { event: "start", task: "talk" },
    { event: "line", line: expect.stringContaining("echo hello") },
    { event: "line", line: "hello" },
    { event: "end", status: "failed", exitCode: 3 },
  ]);
  const { stdout } = await start(["run", "talk"], { GITHUB_ACTIONS: "true" }).ended;
  expect(stdout).toContain("::group::talk");
  expect(stdout).toContain("::error title=task talk::a command exited with 3");
});

test("watching runs again when an input changes, and ends at Ctrl-C", async () => {
  files.put("in.txt", "1");
  task("copy", `inputs: ["in.txt"], outputs: ["seen-*"], run: ({ $ }) => $\`touch seen-$(cat in.txt)\``);
  const { child, ended } = start(["run", "copy", "--watch"]);
  await appears("seen-1");
  files.put("in.txt", "2");
  await appears("seen-2");
  child.kill("SIGINT");
  expect((await ended).status).toBe(130);
});

test(
  "takes its own options anywhere, leaves the others to the task, and all of them behind --",
  LONG,
  async () => {
    task(
      "say",
      `args: { word: { type: "string", required: true }, watch: { type: "boolean" } }, run: ({ args, log }) => log(args.word + " " + args.watch)`,
    );
    expect((await run("say", "--word", "hello", "--no-cache", "--json")).stdout).toContain(
      '"line":"hello false"',
    );
    expect((await run("say", "--word", "hello", "--", "--watch")).stdout).toContain("say | hello true");
    expect(await run("say")).toMatchObject({
      status: 64,
      stderr: expect.stringContaining("--word is missing"),
    });
    const { status, stdout } = await run("say", "--dry-run");
    expect([status, stdout]).toEqual([0, expect.stringContaining("say")]);
    expect((await run("say", "--help")).stdout).toContain("--word <string>");
  },
);

test.skipIf(spawnSync("script", ["--version"]).status !== 0)(
  "a terminal shows what the last task printed, and with --verbose what all did",
  LONG,
  async () => {
    task("first", `run: ({ log }) => log("of the first")`);
    task("second", `needs: ["first"], run: ({ log }) => log("\\u001B[31mof the second\\u001B[0m")`);
    const onTerminal = (...args: string[]): string[] =>
      spawnSync(
        "script",
        ["-qec", `stty cols 80 rows 24; ${process.execPath} ${CLI} run ${args.join(" ")}`, "/dev/null"],
        {
          cwd: files.root,
          encoding: "utf8",
          env: { ...process.env, TERM: "xterm" },
          input: "",
        },
      )
        .stdout.split(/\r?\n/)
        .map(stripVTControlCharacters);
    const piped = await run("second");
    expect(piped.stdout).toContain("second | of the second");
    expect(piped.stdout).not.toContain("\u001B");
    expect((await run("second", "--json")).stdout).not.toContain("u001b");
    expect(onTerminal("second")).toContain("of the second");
    expect(onTerminal("second", "--verbose")).toContain("first | of the first");
    expect(onTerminal("first")).toContain("of the first");
  },
);
