import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { line } from "../conversations/fixtures/claude-home.ts";
import { bunBinary } from "./bun.ts";
import { usePackageCopy } from "./package-copy.ts";

const copy = usePackageCopy(["dist/agents", "dist/conversations", "dist/core", "dist/scripts"]);
const folder = () => copy.at("dist/scripts/search");
const transcript = () => join(copy.home, ".claude/projects/p/one.jsonl");
beforeEach(() => {
  mkdirSync(dirname(transcript()), { recursive: true });
  writeFileSync(transcript(), line("a", "a lazy dog"));
});

const search = (pattern: string, runtime = "node") => {
  const { status, stdout, stderr } = copy.run("dist/scripts/agent-search.js", pattern, { runtime });
  return { status, first: stdout.split(" ")[0], stderr };
};
const found = { status: 0, first: "claude:one", stderr: "" };

test("starts from the compiled form of the build, and loads the index builder when something has changed", () => {
  expect(copy.compiled(folder())).toHaveLength(1);
  expect(search("lazy")).toEqual(found);
  writeFileSync(transcript(), `${line("a", "a lazy dog")}${line("b", "a quick fox")}`);
  expect(search("quick")).toEqual(found);
  expect(search("slow").status).toBe(1);
});

test("keeps a compiled form when the build's Node was another one", () => {
  copy.dropCompiled(folder());
  expect(search("lazy")).toEqual(found);
  expect(copy.compiled(folder())).toHaveLength(1);
  expect(search("lazy")).toEqual(found);
});

test("keeps it in the user's folder when the installation cannot be written to", () => {
  const [name = ""] = copy.compiled(folder());
  copy.dropCompiled(folder());
  copy.bar(join(folder(), name));
  expect(search("lazy")).toEqual(found);
  expect(copy.compiled(join(copy.home, ".nightshift/cache"))).toEqual([name]);
  expect(search("lazy")).toEqual(found);
});

test("finds the same with a compiled form that is damaged", () => {
  const [name = ""] = copy.compiled(folder());
  writeFileSync(join(folder(), name), "damaged");
  expect(search("lazy")).toEqual(found);
  expect(search("lazy")).toEqual(found);
});

test("finds the same on Bun", () => {
  expect(search("lazy", bunBinary())).toEqual(found);
});
