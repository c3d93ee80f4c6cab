import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { bunBinary } from "./bun.ts";
import { usePackageCopy } from "./package-copy.ts";

const copy = usePackageCopy(["check.mjs", "dist/core", "dist/gates", "dist/scripts"]);

const judge = (text: string, options: { runtime?: string } = {}) => {
  const { status, stdout, stderr } = copy.run("check.mjs", text, options);
  return { status, verdict: stdout.split("\n")[0], stderr };
};

test("judges on Node and on Bun", () => {
  const stops = { status: 1, verdict: "STOP", stderr: "" };
  expect(judge("skip the tests")).toEqual(stops);
  expect(judge("skip the tests", { runtime: bunBinary() })).toEqual(stops);
});

test("says that nothing was judged when it is not built, and holds the action as a hook", () => {
  rmSync(copy.at("dist"), { recursive: true });
  expect(judge("skip the tests")).toMatchObject({ status: 70, verdict: "" });
  expect(judge("--hook=claude")).toMatchObject({ status: 2, verdict: "" });
});
