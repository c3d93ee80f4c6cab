import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bunBinary } from "./bun.ts";
import { usePackageCopy } from "./package-copy.ts";

const copy = usePackageCopy(["check.mjs", "dist/core", "dist/gates", "dist/scripts"]);
const critic = () => copy.at("dist/gates/critic");

const judge = (text: string, options: { runtime?: string; home?: string } = {}) => {
  const { status, stdout, stderr } = copy.run("check.mjs", text, options);
  return { status, verdict: stdout.split("\n")[0], stderr };
};
/** The name of the compiled form that a first run makes. */
const compileAnew = (): string => {
  copy.dropCompiled(critic());
  judge("skip the tests");
  const [name] = copy.compiled(critic());
  if (name === undefined) throw new Error("nothing was kept");
  copy.dropCompiled(critic());
  return name;
};
const stops = { status: 1, verdict: "STOP", stderr: "" };
const proceeds = { status: 0, verdict: "PROCEED", stderr: "" };

test("keeps its compiled form when the build's Node was another one, and starts from it afterwards", () => {
  copy.dropCompiled(critic());
  expect(judge("skip the tests")).toEqual(stops);
  expect(copy.compiled(critic())).toHaveLength(1);
  expect(judge("write the failing test first")).toEqual(proceeds);
});

test("keeps it in the user's folder when the installation cannot be written to", () => {
  const name = compileAnew();
  copy.bar(join(critic(), name));
  expect(judge("skip the tests")).toEqual(stops);
  expect(existsSync(join(copy.home, ".nightshift/cache", name))).toBe(true);
  expect(judge("skip the tests")).toEqual(stops);
});

test("judges the same when nothing can be kept anywhere", () => {
  copy.bar(join(critic(), compileAnew()));
  const file = join(copy.root, "file");
  writeFileSync(file, "");
  expect(judge("skip the tests", { home: file })).toEqual(stops);
});

test("judges the same from a compiled form that is damaged", () => {
  const [name = ""] = copy.compiled(critic());
  writeFileSync(join(critic(), name), "not what V8 wrote");
  expect(judge("skip the tests")).toEqual(stops);
  expect(judge("write the failing test first")).toEqual(proceeds);
});

test("judges the same without the bundle, and with it on Bun", () => {
  expect(judge("skip the tests", { runtime: bunBinary() })).toEqual(stops);
  rmSync(join(critic(), "check-bundle.cjs"));
  expect(judge("skip the tests")).toEqual(stops);
  expect(judge("write the failing test first", { runtime: bunBinary() })).toEqual(proceeds);
});

test("says that nothing was judged when it is not built, and holds the action as a hook", () => {
  rmSync(copy.at("dist"), { recursive: true });
  expect(judge("skip the tests")).toMatchObject({ status: 70, verdict: "" });
  expect(judge("--hook=claude")).toMatchObject({ status: 2, verdict: "" });
});
