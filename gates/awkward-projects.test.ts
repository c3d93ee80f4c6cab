import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GateDeclaration } from "../core/config/sections/gates.ts";
import { useScratch } from "../test/scratch.ts";
import { applyFixes } from "./apply-fixes.ts";
import { readBaseline, writeBaseline } from "./baseline.ts";
import { findTypesCommand } from "./checks/types.ts";
import { runGatesOf } from "./fixtures/run-gates-of.ts";
import { selectGates } from "./select-gates.ts";

const project = useScratch();
const outside = useScratch();
const run = (declared: Record<string, GateDeclaration>, only = Object.keys(declared)) =>
  runGatesOf(project.root, declared, { only });

test("a gate whose inputs hold a link to a folder runs each time, and is not lost", async () => {
  mkdirSync(join(project.root, "src"));
  mkdirSync(join(project.root, "real"));
  symlinkSync("../real", join(project.root, "src/link"));
  const declared = { mine: { command: "exit 3", inputs: ["src/**"] } };
  for (const _ of [1, 2])
    expect(await run(declared)).toMatchObject({
      verdict: "fail",
      gates: [{ id: "mine", result: "fail", cached: false }],
    });
});

test("types run again when a tsconfig changed that stands further up or in a package", async () => {
  outside.put("base.json", "{}");
  const base = join(outside.root, "base.json");
  const preset = "node_modules/@presets/strict";
  project.put(`${preset}/tsconfig.json`, `{ "extends": "./more" }`);
  project.put(`${preset}/more.json`, "{}");
  project.put(
    "tsconfig.json",
    `{ // both\n "extends": [${JSON.stringify(base)}, "@presets/strict"],\n "compilerOptions": {}, }`,
  );
  const declared = { types: { command: "true" } };
  const isCached = async () => (await run(declared)).gates[0]?.cached;
  expect(await isCached()).toBe(false);
  for (const path of [
    base,
    join(project.root, preset, "tsconfig.json"),
    join(project.root, preset, "more.json"),
  ]) {
    expect(await isCached()).toBe(true);
    appendFileSync(path, "\n");
    expect(await isCached()).toBe(false);
  }
});

test("a baseline of some gates leaves what is known of the others; one of all forgets gates that are gone", async () => {
  project.put("a.ts", "1\n");
  const finds = (word: string) => ({ command: `echo a.ts:1: ${word}; exit 1` });
  const declared = { one: finds("one"), two: finds("two") };
  const { gates } = await run(declared);
  writeBaseline(gates, project.root);
  writeBaseline(gates.slice(0, 1), project.root, { isWhole: false });
  expect(Object.keys(readBaseline(project.root)).toSorted()).toEqual(["one", "two"]);
  writeBaseline((await run({ one: { command: "no-such-program" } })).gates, project.root);
  expect(Object.keys(readBaseline(project.root))).toEqual(["one"]);
});

test("a submodule and a linked folder that are named like sources are none", async () => {
  project.git("init", "-q");
  mkdirSync(join(project.root, "real"));
  symlinkSync("real", join(project.root, "three.js"));
  project.put("a.js", "console.log(1);\n");
  project.git("add", "-A");
  expect(await run({}, ["console"])).toMatchObject({
    gates: [{ result: "fail", findings: [{ file: "a.js" }] }],
  });
});

test("where nothing can be kept the gates run all the same", async () => {
  project.put(".nightshift", "in the way");
  project.put("a.txt", "a");
  expect(await run({ mine: { command: "exit 3", inputs: ["a.txt"] } })).toMatchObject({
    verdict: "fail",
    gates: [{ id: "mine", result: "fail" }],
  });
});

test("a working directory that is gone is named", async () => {
  expect(await run({ mine: { command: "true", cwd: "nowhere" } })).toMatchObject({
    verdict: "fail",
    gates: [{ result: "none", reason: expect.stringContaining("nowhere is not there") }],
  });
});

test("a fix runs in the folder of its gate", async () => {
  mkdirSync(join(project.root, "site"));
  const declared = { docs: { command: "test -f fixed", cwd: "site", fix: "touch fixed" } };
  const { gates } = await run(declared);
  await applyFixes(
    { env: process.env, signal: new AbortController().signal },
    { root: project.root, gates, declared, note: () => {} },
  );
  expect((await run(declared)).verdict).toBe("pass");
});

test("types are checked in each workspace package where the root has no tsconfig, and leave no trace", async () => {
  project.git("init", "-q");
  project.put(".gitignore", "node_modules\ncalls\n");
  project.put("package.json", '{ "workspaces": { "packages": ["./packages/*"] } }');
  for (const name of ["a", "b c", "plain"]) project.put(`packages/${name}/package.json`, "{}");
  project.put("packages/a/tsconfig.json", '{ "references": [] }');
  project.put("packages/b c/tsconfig.json", "{}");
  project.put(
    "node_modules/.bin/tsc",
    '#!/bin/sh\necho "$@" >> calls; touch x.tsbuildinfo; case "$*" in *-b*) exit 2; esac\n',
  );
  chmodSync(join(project.root, "node_modules/.bin/tsc"), 0o755);
  expect(await run({}, ["types"])).toMatchObject({ verdict: "fail", gates: [{ result: "fail" }] });
  expect(project.read("calls").split("\n")).toEqual([
    "-b packages/a --noEmit --pretty false",
    "--noEmit -p packages/b c --pretty false",
    "",
  ]);
  expect(project.git("status", "--short")).not.toContain("tsbuildinfo");
});

test("with Plug'n'Play Yarn is asked for tsc, and a missing one is named with the project's own words", () => {
  project.put("package.json", '{ "packageManager": "yarn@4.9.1" }');
  project.put("tsconfig.json", "{}");
  expect(findTypesCommand(project.root)).toMatchObject({
    missing: expect.stringContaining("yarn add --dev typescript"),
  });
  project.put(".pnp.cjs", "");
  expect(findTypesCommand(project.root)).toMatchObject({
    command: expect.stringContaining("yarn run tsc --noEmit"),
  });
});

test("what is uncommitted is named from the project's own folder, also where that is none of git's", async () => {
  project.git("init", "-q");
  project.put("one/a.txt", "1");
  project.put("two/b.txt", "1");
  const { gates } = await runGatesOf(join(project.root, "one"), {}, { only: ["uncommitted"] });
  expect(gates[0]?.findings.map(({ file }) => file)).toEqual(["a.txt", "../two/b.txt"]);
});

test("a gate that is asked for what it would never do is a fault, and a folder narrows a built-in check", async () => {
  const select = (gates: Record<string, GateDeclaration>) => () => selectGates(gates, { root: project.root });
  expect(select({ mine: { builtin: "any", command: "true" } })).toThrow("keep one of them");
  expect(select({ uncommitted: { inputs: ["src/**"] } })).toThrow("gates.uncommitted.inputs does nothing");
  for (const file of ["a.js", "site/b.js", "sites/c.js"]) project.put(file, "console.log(1);\n");
  const found = async (cwd: string) =>
    (await run({ console: { cwd } })).gates[0]?.findings.map(({ file }) => file);
  expect(await found("./site/")).toEqual(["site/b.js"]);
  expect(await found(".")).toEqual(["a.js", "site/b.js", "sites/c.js"]);
});

test("a generated source that git ignores is one of the inputs of the type check", async () => {
  project.git("init", "-q");
  project.put(".gitignore", "gen\n");
  project.put("package.json", '{"scripts":{"typecheck":"grep -q fine gen/a.ts"}}');
  mkdirSync(join(project.root, "gen"));
  project.put("gen/a.ts", "// fine\n");
  await run({}, ["types"]);
  expect(await run({}, ["types"])).toMatchObject({ verdict: "pass", gates: [{ cached: true }] });
  project.put("gen/a.ts", "// broken\n");
  expect(await run({}, ["types"])).toMatchObject({ verdict: "fail", gates: [{ cached: false }] });
});

test("a baseline that is none is named", async () => {
  mkdirSync(join(project.root, "gates"));
  for (const text of ["null", "[]", '{"any": 3}', "{"]) {
    project.put("gates/baseline.json", text);
    await expect(run({}, ["any"])).rejects.toThrow("make it again");
  }
});

test("no baseline excuses problems that were too many to read", async () => {
  project.put("a.ts", "x\n");
  const lines = (count: number) => project.put("said", "a.ts(1,1): error TS1: bad\n".repeat(count));
  const declared = { mine: { command: "cat said; exit 1" } };
  lines(600);
  expect(writeBaseline((await run(declared)).gates, project.root)).toBe(600);
  expect((await run(declared)).verdict).toBe("pass");
  lines(601);
  expect((await run(declared)).verdict).toBe("fail");
  rmSync(join(project.root, "gates"), { recursive: true });
  lines(10_001);
  expect(writeBaseline((await run(declared)).gates, project.root)).toBe(10_000);
  expect(await run(declared)).toMatchObject({ verdict: "fail", gates: [{ findings: [{ file: "" }] }] });
});
