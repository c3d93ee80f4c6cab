import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { judge as judgeText } from "../gates/critic/judge.ts";
import { readLabelled } from "../gates/critic/score.ts";
import { bunBinary } from "./bun.ts";
import { usePackageCopy } from "./package-copy.ts";

const copy = usePackageCopy(["check.mjs", "dist/core", "dist/gates", "dist/scripts"]);
const critic = () => copy.at("dist/gates/critic");

const judge = (text: string, options: { runtime?: string; home?: string } = {}) => {
  const { status, stdout, stderr } = copy.run("check.mjs", text, options);
  return { status, verdict: stdout.split("\n")[0], stderr };
};
const bundle = () => join(critic(), "check-bundle.data");
/** Changes bytes of the bundle, and none of their number: its parts stay where they are. */
const alterBundle = (alter: (bytes: Buffer, header: { compiled: [number, number] }) => void): void => {
  const bytes = readFileSync(bundle());
  alter(bytes, JSON.parse(bytes.toString("latin1", 0, 512)) as { compiled: [number, number] });
  writeFileSync(bundle(), bytes);
};
const buildWithAnotherNode = (): void => {
  // What other Nodes kept beside the bundle is copied with it.
  copy.dropCompiled(critic());
  alterBundle((bytes) => void bytes.write("v0", bytes.indexOf(process.version)));
};

/** The name of the compiled form that a first run makes where another Node built. */
const compileAnew = (): string => {
  buildWithAnotherNode();
  judge("skip the tests");
  const [name] = copy.compiled(critic());
  if (name === undefined) throw new Error("nothing was kept");
  copy.dropCompiled(critic());
  return name;
};
const stops = { status: 1, verdict: "STOP", stderr: "" };
const proceeds = { status: 0, verdict: "PROCEED", stderr: "" };

test("keeps its compiled form when the build's Node was another one, and starts from it afterwards", () => {
  buildWithAnotherNode();
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
  alterBundle((bytes, { compiled }) => void bytes.fill("not what V8 wrote", ...compiled));
  expect(judge("skip the tests")).toEqual(stops);
  expect(judge("write the failing test first")).toEqual(proceeds);
});

test("judges the same without the bundle or with a torn one, and with it on Bun", () => {
  expect(judge("skip the tests", { runtime: bunBinary() })).toEqual(stops);
  truncateSync(bundle(), 300);
  expect(judge("skip the tests")).toEqual(stops);
  rmSync(bundle());
  expect(judge("skip the tests")).toEqual(stops);
  expect(judge("write the failing test first", { runtime: bunBinary() })).toEqual(proceeds);
});

test("says that nothing was judged when it is not built, and holds the action as a hook", () => {
  rmSync(copy.at("dist"), { recursive: true });
  expect(judge("skip the tests")).toMatchObject({ status: 70, verdict: "" });
  expect(judge("--hook=claude")).toMatchObject({ status: 2, verdict: "" });
});

test("the bundle judges labelled actions as the files do", () => {
  const bytes = readFileSync(bundle());
  const { source, tables } = JSON.parse(bytes.toString("latin1", 0, 512)) as Record<string, [number, number]>;
  const load = new Script(bytes.toString("latin1", ...(source ?? []))).runInThisContext() as (
    require: NodeJS.Require,
    tables: Buffer,
  ) => { judge: typeof judgeText };
  const bundled = load(createRequire(import.meta.url), bytes.subarray(...(tables ?? [])));
  const actions = [...readLabelled("dev"), ...readLabelled("learn").filter((_, i) => i % 8 === 0)];
  for (const { text } of actions) expect(bundled.judge(text)).toEqual(judgeText(text));
});
