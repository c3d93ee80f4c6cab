import { expect, test } from "vitest";
import { readClosingLine, seemsDone } from "./closing-line.ts";

test.each([
  ["DONE: all green", "all green"],
  ["I fixed it.\n\nDONE: all green\n \n", "all green"],
  ["Two things:\n- a\n- b\n\nDONE: both", "both"],
  ["DONE:", ""],
  ["```\nHANDOFF: only shown\n```\r\nDONE: all\r\n", "all"],
  ["> DONE: as you asked\n\nDONE: yes", "yes"],
])("takes %j as done", (text, summary) => {
  expect(readClosingLine(text)).toEqual({ kind: "done", summary });
});

test.each([
  "The task says: end with DONE: when finished.",
  "I will write DONE: only when the gate is green.",
  "> DONE: quoted from the instructions",
  "> you must end with\nDONE: what was finished",
  "```\nDONE: in a fence\n```",
  "```\nDONE: in a fence that nobody closed",
  "````\n```\nDONE: in the longer fence",
  "```sh\n~~~\nDONE: in the other kind of fence",
  "- list\n  ```\nDONE: in the fence of a list",
  "DONE: <what you did>",
  "DONE: ...",
  "DONE: the first half\n\nNext I would look at the second half, which still fails.",
  "DONE: two things\n- a\n- TODO: b",
  "* DONE: the parser\n* TODO: the tests",
  "* TODO: the tests\n* DONE: the parser",
  "- [x] all\n- DONE: all",
  "1. DONE: all",
  "# DONE: all",
  "DONE: all\n=========",
  "**DONE:** all green",
  " DONE: one column too far",
  "    DONE: indented code",
  "\tDONE: indented code",
  "`DONE: code`",
  "HANDOFF: the tests fail\n\nDONE: the parser",
  "DONE: the first part\n\nDONE: the second part",
  "all is well\rDONE: on the same line",
  "all is well\u2028DONE: on the same line",
  "done: lower case is prose",
  "ABANDONE: no",
  "",
])("does not take %j as done", (text) => {
  expect(readClosingLine(text)?.kind).not.toBe("done");
});

test("takes everything behind HANDOFF: as the note", () => {
  expect(readClosingLine("Context is nearly full.\n\nHANDOFF: parser works\n\nNext: tests in a.ts")).toEqual({
    kind: "handoff",
    note: "parser works\n\nNext: tests in a.ts",
  });
  expect(readClosingLine("DONE: half\n\nHANDOFF: the rest")).toEqual({ kind: "handoff", note: "the rest" });
  expect(readClosingLine("## HANDOFF:\nthe rest")).toEqual({ kind: "handoff", note: "the rest" });
  expect(readClosingLine("HANDOFF: the tests\n\nDONE: the parser")).toMatchObject({ kind: "handoff" });
});

test("knows a message that was meant to be done from one that only speaks of it", () => {
  expect(["**DONE:** all", "* DONE: a\n* b", "# DONE", "DONE: a\n\nand more"].filter(seemsDone)).toHaveLength(
    4,
  );
  expect(["DONE: all", "> DONE: all", "not DONE: yet", "HANDOFF: rest"].filter(seemsDone)).toEqual([]);
});
