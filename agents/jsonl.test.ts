import { expect, test } from "vitest";
import { asPlainText } from "./json.ts";
import { readJsonLines } from "./jsonl.ts";

const read = (text: string) => readJsonLines(Buffer.from(text));

test("takes records apart that were glued together on one line, whatever their texts hold", () => {
  const texts = ["plain", 'a "}{" in a text', "b \\\\", "}{}{", "{[", "日本"];
  const glued = texts.map((text) => JSON.stringify({ text, list: [{ text }] })).join("");
  const { records, faults } = read(`${glued}\n`);
  expect(records.map(({ value }) => value["text"])).toEqual(texts);
  expect(faults).toEqual([`line 1 holds ${texts.length} records glued together`]);
});

test("says what is torn and what is no JSON, and reads the rest", () => {
  const { records, faults } = read('{"a":1}{"b":\nnonsense}{\n{"c":1}\n{"d":"}{');
  expect(records.map(({ value }) => value)).toEqual([{ c: 1 }]);
  expect(faults).toEqual(["line 1 is not JSON", "line 2 is not JSON", "the last line (4) is torn"]);
});

test("a torn line full of code is looked through once", () => {
  // Two hundred thousand places that look like a seam: tried one by one they take hours.
  const code = JSON.stringify({ text: "f(){}{}".repeat(200_000) }).slice(0, -5);
  expect(read(code).faults).toEqual(["the last line (1) is torn"]);
});

test("a value nested without end becomes a text with one", () => {
  const depth = 50_000;
  const value: unknown = JSON.parse(`${"[".repeat(depth)}"x"${"]".repeat(depth)}`);
  expect(asPlainText({ top: "seen", value })).toBe("top: seen\nvalue: …");
});
