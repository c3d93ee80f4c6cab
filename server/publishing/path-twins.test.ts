import { expect, test } from "vitest";
import { findTwins } from "./path-twins.ts";

test("finds equal paths, paths that differ in case, and a file in the place of a folder", () => {
  const twins = findTwins(["a.txt", "A.TXT", "b", "b/c.txt", "a.txt", "ok/x", "ok/y", "STRASSE", "straße"]);
  expect(twins.map(({ index, other, reason }) => [index, other, reason])).toEqual([
    [1, 0, "differs only in case"],
    [4, 0, "is listed twice"],
    [8, 7, "differs only in case"],
    [3, 2, "needs a folder where a file is"],
  ]);
});

test("finds nothing in a tree of different names", () => {
  expect(findTwins(["index.html", "a/index.html", "a/b/index.html", "ab"])).toEqual([]);
});
