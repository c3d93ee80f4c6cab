import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHandoffShelf } from "./handoff-shelf.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightshift-shelf-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a handoff that cannot be written is read from memory, and written with the next one", () => {
  const problems: string[] = [];
  const shelf = createHandoffShelf((problem) => problems.push(problem));
  const place = join(folder, "handoffs");
  writeFileSync(place, "a file where the folder should be");
  shelf.put(join(place, "001.md"), "first");
  expect(shelf.get(join(place, "001.md"))).toBe("first");
  expect(problems).toHaveLength(1);
  rmSync(place);
  mkdirSync(place);
  shelf.put(join(place, "002.md"), "second");
  expect(readFileSync(join(place, "001.md"), "utf8")).toBe("first");
  expect(readFileSync(join(place, "002.md"), "utf8")).toBe("second");
  expect(shelf.get(join(place, "003.md"))).toBeUndefined();
});
