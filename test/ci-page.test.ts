import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";

// docs/ci.md: the workflow is read from the page, and its steps are run one after the other in a fresh clone,
// as a runner would (the steps that only GitHub can run, checkout and setup-node, are what the clone stands for).

const repo = resolve(import.meta.dirname, "..");
type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Workflow = {
  name: string;
  on: Record<string, unknown>;
  jobs: Record<string, { "runs-on": string; permissions?: Record<string, string>; steps: Step[] }>;
};

const page = readFileSync(join(repo, "docs/ci.md"), "utf8");
const workflow = parse(/```yaml\n(.*?)```/s.exec(page)?.[1] ?? "") as Workflow;
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

let base = "";
let env: Record<string, string> = {};
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-ci-")));
  mkdirSync(join(base, "home"));
  mkdirSync(join(base, "nightshift"));
  for (const name of ["dist", "check.mjs", "package.json"])
    cpSync(join(repo, name), join(base, "nightshift", name), { recursive: true });
  symlinkSync(join(repo, "node_modules"), join(base, "nightshift/node_modules"));
  env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(base, "home"),
    CI: "true",
    GIT_CONFIG_NOSYSTEM: "1",
    npm_config_offline: "true",
    npm_config_ignore_scripts: "true",
  };
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const run = (command: string, cwd: string) => {
  // How GitHub calls it: https://docs.github.com/actions, jobs.<id>.steps[*].shell, "unspecified"
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-e", "-c", command], {
    cwd,
    env,
    encoding: "utf8",
  });
  return { status, output: `${stdout}${stderr}` };
};
const must = (command: string, cwd: string): void => {
  const { status, output } = run(command, cwd);
  expect(status, `${command}\n${output}`).toBe(0);
};

/** A project with Nightshift among its dependencies, committed, and cloned afresh. */
const cloneProject = (source: string): string => {
  const project = join(base, "project");
  mkdirSync(join(project, "src"), { recursive: true });
  writeFileSync(join(project, "src/hello.js"), source);
  writeFileSync(join(project, ".gitignore"), "node_modules\n.nightshift\n");
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "p", version: "1.0.0", type: "module", scripts: { test: "node --test" } }),
  );
  must(
    "git init -q -b main && npm install --silent --save-dev file:../nightshift && node_modules/.bin/nightshift init --yes --ci >/dev/null",
    project,
  );
  must("git add -A && git -c user.name=c -c user.email=c@localhost commit -qm 'Start'", project);
  must("git clone -q project clone", base);
  return join(base, "clone");
};

test("the workflow has the shape that GitHub asks for", () => {
  expect(Object.keys(workflow).sort()).toEqual(["jobs", "name", "on"]);
  expect(workflow.on).toHaveProperty("push");
  expect(workflow.on).toHaveProperty("pull_request");
  for (const { "runs-on": machine, permissions } of Object.values(workflow.jobs)) {
    expect(machine).toBe("ubuntu-latest");
    expect(permissions).toEqual({ contents: "read" });
  }
  for (const step of steps) {
    // Exactly one of the two, and an action always with its version.
    expect(Object.keys(step).filter((key) => key === "uses" || key === "run")).toHaveLength(1);
    if (step.uses !== undefined) expect(step.uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
  }
});

test(
  "every step of it runs in order in a fresh clone, and a clean project is healthy",
  { tags: ["long"] },
  () => {
    const clone = cloneProject("export const hello = (name) => `Hello ${name}`;\n");
    const commands = steps.flatMap(({ run: command }) => (command === undefined ? [] : [command]));
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) must(command, clone);
  },
);

test("a failing test ends the job with an annotation for it", { tags: ["long"] }, () => {
  const clone = cloneProject("export const hello = () => {};\n");
  mkdirSync(join(clone, "test"));
  writeFileSync(
    join(clone, "test/hello.test.js"),
    "import { test } from 'node:test';\ntest('greets', () => { throw new Error('no greeting'); });\n",
  );
  must("git add -A && git -c user.name=c -c user.email=c@localhost commit -qm 'Test it'", clone);
  const commands = steps.flatMap(({ run: command }) => (command === undefined ? [] : [command]));
  for (const command of commands.slice(0, -1)) must(command, clone);
  const last = run(commands.at(-1) ?? "", clone);
  expect(last.status).toBe(1);
  expect(last.output).toContain("::error");
});
