import { expect, test } from "vitest";
import { fit, table } from "./reporter.ts";

test("what is too wide loses its end, a path its beginning", () => {
  expect(fit("Fix the broken links", 10)).toBe("Fix the b…");
  expect(fit("/home/somebody/projects/site", 10)).toBe("…ects/site");
  expect(fit("/home", 10)).toBe("/home");
  expect(fit("/home/x is full", 10)).toBe("/home/x i…");
});

test("the last column is what gives way", () => {
  const rows = [
    ["NAME", "STATUS", "DIRECTORY"],
    ["docs", "running", "/home/somebody/projects/site"],
  ];
  expect(table(rows, 20)).toEqual(["NAME  STATUS", "  DIRECTORY", "docs  running", "  …ody/projects/site"]);
  expect(table(rows, 10)).toEqual(["NAME", "  STATUS", "  DIRECTO…", "docs", "  running", "  …ts/site"]);
  expect(table(rows, 30)).toEqual(["NAME  STATUS   DIRECTORY", "docs  running  …/projects/site"]);
});
