import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findIdentity } from "../core/process-identity.ts";
import { waitFor } from "../test/wait-for.ts";
import { CLI, useTaskProject } from "./fixtures/task-project.ts";

const { files, task, start, run } = useTaskProject();

test("watching runs an edited task as it is now, and does not follow what the task itself writes", async () => {
  const body = (name: string) => `run: ({ $ }) => $\`mkdir -p dist; echo x > dist/${name}-$(date +%s%N)\``;
  task("build", body("one"));
  const { child, said, ended } = start(["run", "build", "--watch"]);
  const told = (pattern: RegExp) => waitFor(`${String(pattern)} to be said`, () => pattern.test(said()));
  await told(/watching/);
  files.put("tasks/build.ts", "export default (");
  await told(/cannot be read/);
  task("build", body("two"));
  await told(/dist\/two-[^]*build: done[^]*watching/);
  child.kill("SIGINT");
  expect((await ended).status).toBe(130);
  expect(readdirSync(join(files.root, "dist")).map((name) => name.split("-")[0])).toEqual(["one", "two"]);
});

test("every fault of a task is named before anything runs", async () => {
  task("wrong", `needs: "build", timeoutSecond: 5, args: { a: { type: "text" } }, run: "no"`);
  const { status, stderr } = await run("wrong");
  expect(status).toBe(78);
  expect(stderr).toContain(`tasks/wrong.ts: task "wrong": needs is "build"; it must be an array`);
  expect(stderr).toContain(`unknown key "timeoutSecond"; did you mean "timeoutSeconds"?`);
  expect(stderr).toContain(`args.a.type is "text"; it must be one of "string", "number", "boolean"`);
  expect(stderr).toContain(`run is "no"`);
});

test("a command with an argument that was not given is not run, and the argument is named", async () => {
  const args = `args: { name: { type: "string" } }`;
  task("greet", `${args}, run: ({ $, args }) => $\`touch \${args.name}\``);
  const { status, stderr } = await run("greet");
  expect(status).toBe(64);
  expect(stderr).toContain(
    'task greet: the command "touch …" needs --name, which was not given; run: nightshift run greet --name <value>',
  );
  task("quiet", `${args}, run: ({ $, args }) => $({ quiet: true })\`touch \${args.name}\``);
  expect((await run("quiet")).stderr).toContain("task quiet: the command");
  task("own", `run: ({ $ }) => $\`touch \${undefined}\``);
  expect((await run("own")).stderr).toContain("task own: a value in the command");
  expect(existsSync(join(files.root, "undefined"))).toBe(false);
  expect((await run("greet", "--name", "here")).status).toBe(0);
  expect(existsSync(join(files.root, "here"))).toBe(true);
});

test("what a task throws is told with its place, also when it is no error", async () => {
  task("object", `run: () => { throw { a: 1 }; }`);
  expect((await run("object")).stderr).toContain("threw { a: 1 }");
  task("error", `run: () => { throw new Error("oh"); }`);
  expect((await run("error")).stderr).toMatch(/oh\n.*tasks\/error\.ts:2:/);
});

test("a task whose inputs cannot be read, or whose result cannot be noted, runs each time", async () => {
  files.put("in/a", "1");
  symlinkSync("in", join(files.root, "link"));
  task("copy", `inputs: ["in/**", "link"], run: ({ $ }) => $\`echo ran\``);
  task("note", `inputs: ["in/**"], run: ({ $ }) => $\`echo ran\``);
  files.put(".nightshift/tasks", "a file where a folder should be");
  for (const _ of [1, 2]) {
    const { status, stdout } = await run("copy", "note");
    expect(status).toBe(0);
    expect(stdout).toContain("copy | ran");
    expect(stdout).toContain("note | ran");
    expect(stdout).toContain("it will run again the next time: cannot write");
  }
});

test("a colon and an underscore make two tasks, a default export hides no other, and help needs no words", async () => {
  files.put(
    "tasks/many.ts",
    `import { defineTask } from "nightshift";
const make = (name: string) =>
  defineTask({ title: name, name, inputs: ["in"], args: { loud: { type: "boolean" } }, run: ({ $ }) => $\`echo \${name}\` });
export default make("a:b");
export const other = make("a_b");
export const same = other;
`,
  );
  files.put("in", "1");
  const { stdout } = await run("a:b", "a_b");
  expect(stdout).toContain("a:b | a:b");
  expect(stdout).toContain("a_b | a_b");
  expect((await run("a_b", "--help")).stdout).toMatch(/--loud\n/);
});

test("a reader that goes away ends the task with everything it started, and is no failure", () => {
  // It goes on printing: the reader may leave only after the first lines were written.
  task("long", `run: ({ $ }) => $\`sleep 600 & echo $! > pid; while :; do echo ready; sleep 0.1; done\``);
  const { status } = spawnSync("bash", ["-c", 'node "$0" run long | head -n 1; exit ${PIPESTATUS[0]}', CLI], {
    cwd: files.root,
  });
  expect(status).toBe(0);
  expect(findIdentity(Number(files.read("pid")))).toBeUndefined();
});

test.skipIf(!existsSync("/dev/full"))("a full disk under the output is told, with its exit code", () => {
  task("one", `run: ({ log }) => log("hello")`);
  for (const format of ["run one", "tasks", "gate --list"]) {
    const { status, stderr } = spawnSync("sh", ["-c", `node "$0" ${format} > /dev/full`, CLI], {
      cwd: files.root,
      encoding: "utf8",
    });
    expect(status).toBe(74);
    expect(stderr).toMatch(/^error: cannot write the output: ENOSPC[^\n]*\n$/m);
    expect(stderr).not.toContain("    at ");
  }
});
