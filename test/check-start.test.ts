import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bunBinary } from "./bun.ts";

const repo = resolve(import.meta.dirname, "..");
let root = "";
let critic = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-start-")));
  critic = join(root, "package/dist/gates/critic");
  mkdirSync(join(root, "package"));
  cpSync(join(repo, "check.mjs"), join(root, "package/check.mjs"));
  cpSync(join(repo, "package.json"), join(root, "package/package.json"));
  for (const folder of ["core", "gates", "scripts"])
    cpSync(join(repo, "dist", folder), join(root, "package/dist", folder), { recursive: true });
  symlinkSync(join(repo, "node_modules"), join(root, "package/node_modules"));
  mkdirSync(join(root, "elsewhere"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const isCompiled = (name: string): boolean => /^check-[0-9a-f]{16}-.*\.bin$/.test(name);
const dropCompiled = (): void => {
  for (const name of readdirSync(critic).filter(isCompiled)) rmSync(join(critic, name));
};

const judge = (text: string, { runtime = "node", home = join(root, "home") } = {}) => {
  const { status, stdout, stderr } = spawnSync(runtime, [join(root, "package/check.mjs"), text], {
    cwd: join(root, "elsewhere"),
    env: { PATH: process.env["PATH"], HOME: home },
    encoding: "utf8",
  });
  return { status, verdict: stdout.split("\n")[0], stderr };
};
/** The name of the compiled form that a first run makes. */
const compileAnew = (): string => {
  dropCompiled();
  judge("skip the tests");
  const [name] = readdirSync(critic).filter(isCompiled);
  if (name === undefined) throw new Error("nothing was kept");
  return name;
};
const stops = { status: 1, verdict: "STOP", stderr: "" };
const proceeds = { status: 0, verdict: "PROCEED", stderr: "" };

test("keeps its compiled form when the build's Node was another one, and starts from it afterwards", () => {
  dropCompiled();
  expect(judge("skip the tests")).toEqual(stops);
  expect(readdirSync(critic).filter(isCompiled)).toHaveLength(1);
  expect(judge("write the failing test first")).toEqual(proceeds);
});

test("keeps it in the user's folder when the installation cannot be written to", () => {
  const place = compileAnew();
  dropCompiled();
  // Not even root can replace a folder by a file: what a read-only installation is to everybody else.
  mkdirSync(join(critic, place, "taken"), { recursive: true });
  expect(judge("skip the tests")).toEqual(stops);
  expect(existsSync(join(root, "home/.nightshift/cache", place))).toBe(true);
  expect(judge("skip the tests")).toEqual(stops);
});

test("judges the same when nothing can be kept anywhere", () => {
  const place = compileAnew();
  dropCompiled();
  mkdirSync(join(critic, place, "taken"), { recursive: true });
  writeFileSync(join(root, "file"), "");
  expect(judge("skip the tests", { home: join(root, "file") })).toEqual(stops);
});

test("judges the same from a compiled form that is damaged", () => {
  const [place = ""] = readdirSync(critic).filter(isCompiled);
  writeFileSync(join(critic, place), "not what V8 wrote");
  expect(judge("skip the tests")).toEqual(stops);
  expect(judge("write the failing test first")).toEqual(proceeds);
});

test("judges the same without the bundle, and with it on Bun", () => {
  expect(judge("skip the tests", { runtime: bunBinary() })).toEqual(stops);
  rmSync(join(critic, "check-bundle.cjs"));
  expect(judge("skip the tests")).toEqual(stops);
  expect(judge("write the failing test first", { runtime: bunBinary() })).toEqual(proceeds);
});

test("says that nothing was judged when it is not built, and holds the action as a hook", () => {
  rmSync(join(root, "package/dist"), { recursive: true });
  expect(judge("skip the tests")).toMatchObject({ status: 70, verdict: "" });
  expect(judge("--hook=claude")).toMatchObject({ status: 2, verdict: "" });
});
