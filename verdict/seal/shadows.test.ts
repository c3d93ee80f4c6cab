import { expect, test } from "vitest";
import type { TreeEntry } from "../read-tree.ts";
import type { Change } from "./changed-files.ts";
import { findMovedEntries, findShadows } from "./shadows.ts";

const treeOf = (...paths: string[]): Map<string, TreeEntry> =>
  new Map(paths.map((path) => [path, { path, mode: "100644", object: path }]));

/** The files that stand before others, where these were added to a tree of those. */
const shadowsOf = (before: string[], added: string[], removed: string[] = []): string[] => {
  const [was, is] = [
    treeOf(...before),
    treeOf(...before.filter((path) => !removed.includes(path)), ...added),
  ];
  const changes = added.map((path): Change => ({ path, before: undefined, after: is.get(path) }));
  return findShadows(changes, was, is).map(({ file }) => file ?? "");
};

test.each([
  [["src/days.ts"], ["src/days.js"]],
  [["src/days/index.ts"], ["src/days.ts"]],
  [["bank/account.py"], ["bank/account/__init__.py"]],
  [["bank/account.py"], ["bank/account.cpython-311-x86_64-linux-gnu.so"]],
])("beside %j, %j may be loaded in its place", (before, added) => {
  expect(shadowsOf(before, added)).toEqual(added);
});

test.each([
  [["src/days.ts"], ["src/days.d.ts", "src/days.test.ts", "src/days.json", "src/days.cjs"]],
  [["src/days.ts"], ["lib/days.js"]],
  [["bank/account.py"], ["bank/accounts/__init__.py"]],
])("beside %j, %j stands for itself", (before, added) => {
  expect(shadowsOf(before, added)).toEqual([]);
});

test("a module that became another file stands in nobody's way", () => {
  expect(shadowsOf(["src/zone.js"], ["src/zone.ts"], ["src/zone.js"])).toEqual([]);
  expect(shadowsOf(["bank/text.py"], ["bank/text/__init__.py"], ["bank/text.py"])).toEqual([]);
});

test("an entry of a package may follow its file, and may not leave it behind", () => {
  const [was, is] = ['{ "exports": { ".": "./src/price.js" } }', '{ "exports": { ".": "./src/prices.js" } }'];
  const entriesIn = (...paths: string[]) =>
    findMovedEntries({ path: "package.json", was, is }, treeOf(...paths)).map(({ message }) => message);
  expect(entriesIn("src/prices.js")).toEqual([]);
  expect(entriesIn("src/prices.js", "src/price.js")[0]).toContain('exports["."] led to src/price.js');
  expect(findMovedEntries({ path: "package.json", was: "{}", is }, treeOf("src/price.js"))).toEqual([]);
});
