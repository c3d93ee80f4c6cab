import { expect, test } from "vitest";
import { hang, hangOnTerminal, wrapWords } from "./wrap-words.ts";

test("further lines stand under the first word, and a word that is too wide stands whole", () => {
  expect(hang("warn  memory  ", "workers go without: no server runs", 36)).toEqual([
    "warn  memory  workers go without: no",
    "              server runs",
  ]);
  expect(wrapWords("see /a/very/long/path/of/a/file now", 12)).toEqual([
    "see",
    "/a/very/long/path/of/a/file",
    "now",
  ]);
});

test("where there is no room beside its head, a text stands under it", () => {
  expect(hang("a-head-of-twenty-two  ", "two words and more", 30)).toEqual([
    "a-head-of-twenty-two",
    "    two words and more",
  ]);
});

test("for a program a line stays a line", () => {
  const text = "two words and some more of them";
  expect(hangOnTerminal("  ", text, { isTerminal: false, columns: 26 })).toEqual([`  ${text}`]);
  expect(hangOnTerminal("  ", text, { isTerminal: true, columns: 26 })).toEqual([
    "  two words and some more",
    "  of them",
  ]);
});
