import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findIdentity } from "../../core/process-identity.ts";

const cli = resolve(import.meta.dirname, "../../dist/scripts/nightshift.js");
let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-awkward-tasks-")));
  mkdirSync(join(root, ".git"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const task = (name: string, body: string) =>
  put(
    `tasks/${name}.ts`,
    `import { defineTask } from "nightshift";\nexport default defineTask({ title: "${name}", ${body} });\n`,
  );
const run = (...args: string[]) => spawnSync("node", [cli, "run", ...args], { cwd: root, encoding: "utf8" });

test("watching runs an edited task as it is now, and does not follow what the task itself writes", async () => {
  const body = (name: string) => `run: ({ $ }) => $\`mkdir -p dist; echo x > dist/${name}-$(date +%s%N)\``;
  task("build", body("one"));
  const child = spawn("node", [cli, "run", "build", "--watch"], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let said = "";
  const told = (pattern: RegExp) =>
    new Promise<void>((done) => {
      const look = (chunk: unknown = "") => {
        said += String(chunk);
        if (pattern.test(said)) done();
      };
      child.stdout.on("data", look);
      child.stderr.on("data", look);
    });
  await told(/watching/);
  put("tasks/build.ts", "export default (");
  await told(/cannot be read/);
  task("build", body("two"));
  await told(/dist\/two-[^]*build: done[^]*watching/);
  child.kill("SIGINT");
  expect((await ended)[0]).toBe(130);
  expect(readdirSync(join(root, "dist")).map((name) => name.split("-")[0])).toEqual(["one", "two"]);
});

test("every fault of a task is named before anything runs", () => {
  task("wrong", `needs: "build", timeoutSecond: 5, args: { a: { type: "text" } }, run: "no"`);
  const { status, stderr } = run("wrong");
  expect(status).toBe(78);
  expect(stderr).toContain(`tasks/wrong.ts: task "wrong": needs is "build"; it must be an array`);
  expect(stderr).toContain(`unknown key "timeoutSecond"; did you mean "timeoutSeconds"?`);
  expect(stderr).toContain(`args.a.type is "text"; it must be one of "string", "number", "boolean"`);
  expect(stderr).toContain(`run is "no"`);
});

test("what a task throws is told with its place, also when it is no error", () => {
  task("object", `run: () => { throw { a: 1 }; }`);
  expect(run("object").stderr).toContain("threw { a: 1 }");
  task("error", `run: () => { throw new Error("oh"); }`);
  expect(run("error").stderr).toMatch(/oh\n.*tasks\/error\.ts:2:/);
});

test("a task whose inputs cannot be read, or whose result cannot be noted, runs each time", () => {
  put("in/a", "1");
  symlinkSync("in", join(root, "link"));
  task("copy", `inputs: ["in/**", "link"], run: ({ $ }) => $\`echo ran\``);
  task("note", `inputs: ["in/**"], run: ({ $ }) => $\`echo ran\``);
  put(".nightshift/tasks", "a file where a folder should be");
  for (const _ of [1, 2]) {
    const { status, stdout } = run("copy", "note");
    expect(status).toBe(0);
    expect(stdout).toContain("copy | ran");
    expect(stdout).toContain("note | ran");
    expect(stdout).toContain("it will run again the next time: cannot write");
  }
});

test("a colon and an underscore make two tasks, a default export hides no other, and help needs no words", () => {
  put(
    "tasks/many.ts",
    `import { defineTask } from "nightshift";
const make = (name: string) =>
  defineTask({ title: name, name, inputs: ["in"], args: { loud: { type: "boolean" } }, run: ({ $ }) => $\`echo \${name}\` });
export default make("a:b");
export const other = make("a_b");
export const same = other;
`,
  );
  put("in", "1");
  const { stdout } = run("a:b", "a_b");
  expect(stdout).toContain("a:b | a:b");
  expect(stdout).toContain("a_b | a_b");
  expect(run("a_b", "--help").stdout).toMatch(/--loud\n/);
});

test("a reader that goes away ends the task with everything it started, and is no failure", () => {
  task("long", `run: ({ $ }) => $\`sleep 600 & echo $! > pid; echo ready; sleep 600\``);
  const { status } = spawnSync("bash", ["-c", 'node "$0" run long | head -n 1; exit ${PIPESTATUS[0]}', cli], {
    cwd: root,
  });
  expect(status).toBe(0);
  expect(findIdentity(Number(readFileSync(join(root, "pid"), "utf8")))).toBeUndefined();
});

test.skipIf(!existsSync("/dev/full"))("a full disk under the output is told, with its exit code", () => {
  task("one", `run: ({ log }) => log("hello")`);
  for (const format of ["run one", "tasks", "gate --list"]) {
    const { status, stderr } = spawnSync("sh", ["-c", `node "$0" ${format} > /dev/full`, cli], {
      cwd: root,
      encoding: "utf8",
    });
    expect(status).toBe(74);
    expect(stderr).toMatch(/^error: cannot write the output: ENOSPC[^\n]*\n$/m);
    expect(stderr).not.toContain("    at ");
  }
});
