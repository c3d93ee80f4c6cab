// @module-tag long

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { WorkerState } from "../../worker/state/worker-state.ts";
import { listNames } from "../../worker/state/worker-names.ts";
import { findState } from "../../worker/state/worker-store.ts";
import { FINISH, Night } from "./night.ts";

let night: Night;
beforeEach(() => {
  night = new Night();
});
afterEach(() => night.dispose());

const SCRIPTS = resolve(import.meta.dirname, "../../dist/scripts");
const run = (program: string, dir: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(SCRIPTS, `${program}.js`), ...args], {
    cwd: join(night.root, dir),
    env: night.env,
    encoding: "utf8",
  });
const worker = (dir: string, ...args: string[]) => run("worker", dir, ...args);

/** Projects in which `worker start main` does one line. */
const project = (dir: string) => {
  night.repository(dir, "exit 0");
  const script = night.write("script.json", JSON.stringify({ parts: [{ steps: FINISH }] }));
  night.write(join(dir, "agent.config.json"), JSON.stringify({ agents: { scripted: { script } } }));
  night.git(dir, "add", "-A");
  night.git(dir, "commit", "-qm", "config");
};
const start = (dir: string, name = "main") =>
  worker(dir, "start", name, "--agent", "scripted", "--task", "a line", "--foreground", "--json");
const nameOf = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as WorkerState).name;

test("a name that another directory has is never taken over: the second worker goes by its folder's name, too", () => {
  for (const dir of ["a/one", "b/two", "c/two"]) project(dir);
  expect(nameOf(start("a/one"))).toBe("main");
  const first = findState(night.home, "main");
  const second = start("b/two");
  expect(nameOf(second)).toBe("two/main");
  expect(second.stderr).toContain(
    "main is the name of a worker of another directory; this one goes by two/main",
  );
  expect(nameOf(start("c/two"))).toBe("two-2/main");
  expect(nameOf(start("b/two"))).toBe("two/main"); // its own again
  expect(nameOf(start("b/two", "two/main"))).toBe("two/main");
  expect(start("a/one", "two/main").status).toBe(64);
  expect(findState(night.home, "main")).toEqual(first);
  expect(listNames(night.home)).toEqual(["main", "two-2/main", "two/main"]);
  expect(existsSync(join(night.home, "two/main/handoffs"))).toBe(true);
  expect(existsSync(join(night.home, "two/main.log"))).toBe(true);

  // Standing in a project the short name means its own, elsewhere both are named.
  mkdirSync(join(night.root, "b/two/sub"));
  const dirOf = (dir: string, name: string) =>
    (JSON.parse(worker(dir, "status", name, "--json").stdout) as { dir?: string }).dir;
  expect(dirOf("a/one", "main")).toBe(join(night.root, "a/one"));
  expect(dirOf("b/two/sub", "main")).toBe(join(night.root, "b/two"));
  expect(dirOf(".", "two/main")).toBe(join(night.root, "b/two"));
  expect(dirOf(".", "one/main")).toBe(join(night.root, "a/one"));
  for (const command of [["status"], ["stop"], ["log"], ["resume"], ["remove"], ["adjust", "--max", "3"]]) {
    const [verb = "", ...rest] = command;
    const refused = worker(".", verb, "main", ...rest);
    expect(refused.status).toBe(64);
    expect(refused.stderr).toMatch(
      /3 workers are called main: one\/main \(.*a\/one\), two-2\/main \(.*\), two\/main \(.*\); name one in full/,
    );
  }
  const complete = worker(".", "--complete", "stop", "tw");
  const offered = complete.stdout.split("\n").map((line) => line.split("\t")[0]);
  expect(offered).toEqual(expect.arrayContaining(["two-2/main", "two/main"]));
  const listed = JSON.parse(worker(".", "list", "--json").stdout) as { name: string }[];
  expect(listed.map(({ name }) => name)).toEqual(["main", "two-2/main", "two/main"]);

  expect(worker("b/two", "remove", "main").status).toBe(0);
  expect(listNames(night.home)).toEqual(["main", "two-2/main"]);
});

test("a near miss is answered with the right name, also of a worker that goes by its folder's", () => {
  project("one");
  project("two");
  start("one");
  start("two");
  expect(worker(".", "stop", "mian").stderr).toContain("did you mean main?");
  expect(worker(".", "log", "two/mian").stderr).toContain("did you mean two/main?");
});

test("removing a worker leaves those that lie in a folder of its name", () => {
  project("other");
  project("main");
  expect(nameOf(start("other"))).toBe("main");
  expect(nameOf(start("main"))).toBe("main/main");
  expect(worker("other", "remove", "main").status).toBe(0);
  expect(findState(night.home, "main/main")?.dir).toBe(join(night.root, "main"));
  expect(existsSync(join(night.home, "main/main/handoffs/001.md"))).toBe(true);
  expect(findState(night.home, "main")).toBeUndefined();
});
