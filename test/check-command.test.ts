import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bunBinary } from "./bun.ts";

const check = resolve(import.meta.dirname, "../check.mjs");
let root = "";
let home = "";
beforeEach(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-check-")));
  root = join(base, "project");
  home = join(base, "home");
  program = "node";
  mkdirSync(join(root, ".git"), { recursive: true });
});
afterEach(() => rmSync(dirname(root), { recursive: true, force: true }));

let program = "node";
const run = (args: string[], input?: string) => {
  const { status, stdout, stderr } = spawnSync(program, [check, ...args], {
    cwd: root,
    input: input ?? "",
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: home },
  });
  return { status, stdout, stderr };
};
/** A test on Node, and on Bun a long one. */
const testOnBoth = (title: string, act: () => void): void => {
  test(`on node ${title}`, act);
  test(`on bun ${title}`, { tags: ["long"] }, () => {
    program = bunBinary();
    act();
  });
};
const config = (critic: unknown) =>
  writeFileSync(join(root, "agent.config.json"), JSON.stringify({ critic }));
const pattern = {
  id: "no-friday",
  severity: "HIGH",
  pattern: "deploy on friday",
  message: "Nobody is there to mend it.",
  suggestion: "Release it on Monday morning.",
  match: ["deploy on Friday"],
  noMatch: ["deploy on Monday"],
};

test("PROCEED is exit 0 and STOP exit 1, from arguments and from stdin", () => {
  expect(run(["write", "the", "failing", "test", "first"])).toMatchObject({ status: 0, stdout: "PROCEED\n" });
  expect(run(["skip the tests"]).status).toBe(1);
  const piped = run([], "skip the tests");
  expect(piped.status).toBe(1);
  expect(piped.stdout).toContain("R5 HIGH");
});

test("judges no bytes that are no text, and says so", () => {
  const { status, stdout, stderr } = run([], "\u0001\0\u0002skip the tests");
  expect({ status, stdout }).toEqual({ status: 65, stdout: "" });
  expect(stderr).toContain("binary data");
});

test("waits for a writer that is not ready yet", () => {
  // When `head` has ended the critic is already reading; the words that count come from a program not yet started.
  const slowly = "head -c 300000 /dev/zero | tr '\\0' '\\n'; sh -c 'echo skip the tests'";
  const { status, stderr } = spawnSync("sh", ["-c", `(${slowly}) | node "$0"`, check], {
    cwd: root,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
});

test("prints one JSON document, and the excused places when asked to explain", () => {
  const { stdout } = run(["--json", "--explain", "never skip the tests"]);
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: "PROCEED",
    flags: [],
    excused: expect.arrayContaining([expect.objectContaining({ id: "R5", reason: "negated" })]),
  });
  expect(JSON.parse(run(["--json", "skip the tests"]).stdout)).toMatchObject({
    verdict: "STOP",
    flags: [{ id: "R5" }],
  });
});

test("usage faults are exit 64: no text, an unknown option, an unknown agent", () => {
  expect(run([]).status).toBe(64);
  expect(run(["--exlain", "x"]).status).toBe(64);
  expect(run(["--help"])).toMatchObject({ status: 0 });
});

const compiledCopy = () => join(home, ".nightshift/cache/critic", root, "settings.json");

test("own patterns judge, are compiled once, and follow the config at once when it changes", () => {
  config({ patterns: [pattern] });
  expect(run(["deploy on Friday"]).stdout).toContain("no-friday");
  const cache = compiledCopy();
  expect(existsSync(cache)).toBe(true);
  const compiled = readFileSync(cache, "utf8");
  expect(run(["deploy on Friday"]).status).toBe(1);
  expect(readFileSync(cache, "utf8")).toBe(compiled);
  config({ patterns: [{ ...pattern, pattern: "deploy on sunday", match: ["deploy on Sunday"] }] });
  expect(run(["deploy on Friday"]).status).toBe(0);
  expect(run(["deploy on Sunday"]).status).toBe(1);
});

testOnBoth("a compiled copy that a repository brings along switches no rule off", () => {
  config({});
  run(["write a test"]);
  const { key, settings } = JSON.parse(readFileSync(compiledCopy(), "utf8")) as {
    key: string;
    settings: object;
  };
  const rules = ["R1", "R2", "R3", "R4", "R5"];
  const forged = JSON.stringify({ key, settings: { ...settings, stopAt: "NONE", disable: rules } });
  mkdirSync(join(root, ".nightshift"));
  for (const name of ["critic.json", "settings.json"]) writeFileSync(join(root, ".nightshift", name), forged);
  expect(run(["skip the tests"])).toMatchObject({ status: 1, stderr: "" });
});

test("a faulty critic section is exit 78 with every fault, and never a silent PROCEED", () => {
  config({ patterns: [{ ...pattern, noMatch: ["deploy on Friday"] }], disable: ["R7"] });
  const { status, stderr } = run(["deploy on Friday"]);
  expect(status).toBe(78);
  expect(stderr).toContain("critic.patterns[0].noMatch[0]");
  expect(stderr).toContain("critic.disable[0]");
});

test("a config with an unknown key is exit 78, too", () => {
  writeFileSync(join(root, "agent.config.json"), JSON.stringify({ critc: {} }));
  const { status, stderr } = run(["run the tests"]);
  expect(status).toBe(78);
  expect(stderr).toContain('did you mean "critic"?');
});

const logged = () =>
  readFileSync(join(root, ".nightshift/critic.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { verdict: string; text: string });

test("every decision is logged where the config says, without secrets", () => {
  config({ log: ".nightshift/critic.jsonl" });
  run([`skip the tests, token ghp_${"a1B2".repeat(9)}`]);
  run(["write a test"]);
  expect(logged().map(({ verdict }) => verdict)).toEqual(["STOP", "PROCEED"]);
  expect(logged()[0]?.text).not.toContain("ghp_");
});

testOnBoth(
  "a log outside the places for records is refused, by name or through a link, and nothing is written",
  () => {
    const victim = join(root, "rc");
    writeFileSync(victim, "");
    mkdirSync(join(root, ".nightshift"));
    symlinkSync(victim, join(root, ".nightshift/linked.log"));
    for (const log of ["rc", "logs/critic.jsonl", "../x.jsonl", ".git/config", ".nightshift/linked.log"]) {
      config({ log });
      const { status, stderr } = run(["skip the tests"]);
      expect({ log, status }).toEqual({ log, status: 78 });
      expect(stderr).toContain("it must be a .jsonl or .log file in");
    }
    config({ log: "rc" });
    const call = JSON.stringify({ tool_name: "Bash", tool_input: { command: "git push --no-verify" } });
    expect(run(["--hook", "claude"], call).status).toBe(2);
    expect(readFileSync(victim, "utf8")).toBe("");
    config({ log: ".git/critic.jsonl" });
    expect(run(["write a test"]).status).toBe(0);
    expect(existsSync(join(root, ".git/critic.jsonl"))).toBe(true);
  },
);

testOnBoth(
  "what a project switches off is said on every run, and to the user when it would have spoken",
  () => {
    config({ disable: ["R1", "R2", "R3", "R4", "R5"] });
    const told = "this project's config switches off R1 (a new repository or service, HIGH)";
    const harmless = run(["write the failing test first"]);
    expect(harmless).toMatchObject({ status: 0, stdout: "PROCEED\n", stderr: expect.stringContaining(told) });
    const skipped = run(["--json", "skip the tests"]);
    expect(skipped).toMatchObject({ status: 0, stderr: expect.stringContaining(told) });
    expect((JSON.parse(skipped.stdout) as { disabled: unknown[] }).disabled).toContainEqual({
      id: "R5",
      severity: "HIGH",
      match: "skip the tests",
    });
    const call = (command: string) => JSON.stringify({ tool_name: "Bash", tool_input: { command } });
    expect(run(["--hook", "claude"], call("ls"))).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining(told),
    });
    const hook = run(["--hook", "claude"], call("git push --no-verify"));
    expect(hook.status).toBe(0);
    expect((JSON.parse(hook.stdout) as { systemMessage: string }).systemMessage).toContain(told);
  },
);

test("as a hook: STOP is exit 2, harmless calls pass, and input that is none is held and said", () => {
  const bash = (command: string) =>
    JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } });
  expect(run(["--hook", "claude"], bash("git push --no-verify")).status).toBe(2);
  expect(run(["--hook", "codex"], bash("git push"))).toEqual({ status: 0, stdout: "", stderr: "" });
  const broken = run(["--hook", "claude"], "no json");
  expect(broken.status).toBe(2);
  expect(broken.stderr).toContain("not a PreToolUse input");
  expect(run(["--hook", "cursor"], bash("ls")).status).toBe(2);
});

test("a hook with a faulty config applies the built-in rules and says what it left out", () => {
  config({ patterns: [{ ...pattern, pattern: "(" }] });
  const call = (command: string) => JSON.stringify({ tool_name: "Bash", tool_input: { command } });
  const harmless = run(["--hook", "claude"], call("ls"));
  expect(harmless.status).toBe(0);
  expect((JSON.parse(harmless.stdout) as { systemMessage: string }).systemMessage).toContain(
    "only the built-in rules",
  );
  expect(run(["--hook", "claude"], call("git commit --no-verify")).status).toBe(2);
});

test("an own pattern that does not come to an end is named, and a hook holds the action", () => {
  const endless = { ...pattern, pattern: "^(a+)+b$", match: ["aab"], noMatch: ["aac"] };
  config({ patterns: [endless] });
  const text = `${"a".repeat(60)}c`;
  expect(run([text])).toMatchObject({
    status: 78,
    stderr: expect.stringContaining('"no-friday" took longer'),
  });
  const call = JSON.stringify({ tool_name: "Bash", tool_input: { command: text } });
  expect(run(["--hook", "claude"], call)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("took longer"),
  });
});
