import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GateDeclaration } from "../core/config/sections/gates.ts";
import { applyFixes } from "./apply-fixes.ts";
import { readBaseline, writeBaseline } from "./baseline.ts";
import type { GateReport } from "./gate.ts";
import { listProjectFiles } from "./list-files.ts";
import { runGates } from "./run-gates.ts";
import { selectGates } from "./select-gates.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-awkward-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const { signal } = new AbortController();
const run = async (
  declared: Record<string, GateDeclaration>,
  only = Object.keys(declared),
): Promise<GateReport> =>
  runGates(
    { env: process.env, signal, elapsed: () => performance.now() },
    {
      root,
      gates: selectGates(declared, { root, only }),
      projectFiles: await listProjectFiles(root, process.env),
      baseline: readBaseline(root),
      useCache: true,
      failFast: false,
    },
  );

test("a gate whose inputs hold a link to a folder runs each time, and is not lost", async () => {
  mkdirSync(join(root, "src"));
  mkdirSync(join(root, "real"));
  symlinkSync("../real", join(root, "src/link"));
  const declared = { mine: { command: "exit 3", inputs: ["src/**"] } };
  for (const _ of [1, 2])
    expect(await run(declared)).toMatchObject({
      verdict: "fail",
      gates: [{ id: "mine", result: "fail", cached: false }],
    });
});

test("types run again when a tsconfig changed that stands further up or in a package", async () => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-outside-")));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const base = join(outside, "base.json");
  const preset = join(root, "node_modules/@presets/strict/tsconfig.json");
  put(base, "{}");
  put(preset, `{ "extends": "./more" }`);
  put(join(dirname(preset), "more.json"), "{}");
  put(
    join(root, "tsconfig.json"),
    `{ // both\n "extends": [${JSON.stringify(base)}, "@presets/strict"],\n "compilerOptions": {}, }`,
  );
  const declared = { types: { command: "true" } };
  const isCached = async () => (await run(declared)).gates[0]?.cached;
  expect(await isCached()).toBe(false);
  for (const path of [base, preset, join(dirname(preset), "more.json")]) {
    expect(await isCached()).toBe(true);
    put(path, `${readFileSync(path, "utf8")}\n`);
    expect(await isCached()).toBe(false);
  }
  rmSync(outside, { recursive: true });
});

test("a submodule and a linked folder that are named like sources are none", async () => {
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "pipe" });
  git("init", "-q");
  mkdirSync(join(root, "real"));
  symlinkSync("real", join(root, "three.js"));
  writeFileSync(join(root, "a.js"), "console.log(1);\n");
  git("add", "-A");
  expect(await run({}, ["console"])).toMatchObject({
    gates: [{ result: "fail", findings: [{ file: "a.js" }] }],
  });
});

test("where nothing can be kept the gates run all the same", async () => {
  writeFileSync(join(root, ".nightshift"), "in the way");
  writeFileSync(join(root, "a.txt"), "a");
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
  mkdirSync(join(root, "site"));
  const declared = { docs: { command: "test -f fixed", cwd: "site", fix: "touch fixed" } };
  const { gates } = await run(declared);
  await applyFixes({ env: process.env, signal }, { root, gates, declared, note: () => {} });
  expect((await run(declared)).verdict).toBe("pass");
});

test("a generated source that git ignores is one of the inputs of the type check", async () => {
  execFileSync("git", ["-C", root, "init", "-q"], { stdio: "pipe" });
  writeFileSync(join(root, ".gitignore"), "gen\n");
  writeFileSync(join(root, "package.json"), '{"scripts":{"typecheck":"grep -q fine gen/a.ts"}}');
  mkdirSync(join(root, "gen"));
  writeFileSync(join(root, "gen/a.ts"), "// fine\n");
  await run({}, ["types"]);
  expect(await run({}, ["types"])).toMatchObject({ verdict: "pass", gates: [{ cached: true }] });
  writeFileSync(join(root, "gen/a.ts"), "// broken\n");
  expect(await run({}, ["types"])).toMatchObject({ verdict: "fail", gates: [{ cached: false }] });
});

test("a baseline that is none is named", async () => {
  mkdirSync(join(root, "gates"));
  for (const text of ["null", "[]", '{"any": 3}', "{"]) {
    writeFileSync(join(root, "gates/baseline.json"), text);
    await expect(run({}, ["any"])).rejects.toThrow("make it anew");
  }
});

test("no baseline excuses problems that were too many to read", async () => {
  writeFileSync(join(root, "a.ts"), "x\n");
  const lines = (count: number) =>
    writeFileSync(join(root, "said"), "a.ts(1,1): error TS1: bad\n".repeat(count));
  const declared = { mine: { command: "cat said; exit 1" } };
  lines(600);
  expect(writeBaseline((await run(declared)).gates, root)).toBe(600);
  expect((await run(declared)).verdict).toBe("pass");
  lines(601);
  expect((await run(declared)).verdict).toBe("fail");
  rmSync(join(root, "gates"), { recursive: true });
  lines(10_001);
  expect(writeBaseline((await run(declared)).gates, root)).toBe(10_000);
  expect(await run(declared)).toMatchObject({ verdict: "fail", gates: [{ findings: [{ file: "" }] }] });
});
