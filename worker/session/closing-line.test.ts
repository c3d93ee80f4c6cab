import { expect, test } from "vitest";
import { readClosingLine } from "./closing-line.ts";

test.each([
  ["DONE: all green", "all green"],
  ["I fixed it.\n\nDONE: all green\n", "all green"],
  ["**DONE:** all green", "all green"],
  ["Summary below.\nDONE: two things\n- a\n- b", "two things\n- a\n- b"],
  ["DONE:", ""],
  ["HANDOFF: earlier\n\nDONE: later", "later"],
])("takes %j as done", (text, summary) => {
  expect(readClosingLine(text)).toEqual({ kind: "done", summary });
});

test.each([
  "The task says: end with DONE: when finished.",
  "I will write DONE: only when the gate is green.",
  "> DONE: quoted from the instructions",
  "```\nDONE: in a fence\n```",
  "DONE: <what you did>",
  "DONE: ...",
  "DONE: the first half\n\nNext I would look at the second half, which still fails.",
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
});
