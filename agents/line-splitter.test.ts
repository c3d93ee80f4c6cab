import fc from "fast-check";
import { expect, test } from "vitest";
import { createLineSplitter } from "./line-splitter.ts";

const split = (chunks: Buffer[], maxLineChars?: number): string[] => {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line), maxLineChars);
  for (const chunk of chunks) splitter.write(chunk);
  splitter.flush();
  return lines;
};

test("gives the same lines wherever the stream is cut, in the middle of a character too", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", minLength: 1 }).filter((line) => !/[\r\n]/.test(line))),
      fc.integer({ min: 1, max: 7 }),
      (lines, size) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const chunks = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        expect(split(chunks)).toEqual(lines);
      },
    ),
  );
});

test("hands over a last line without its end, and skips one that is too long", () => {
  expect(split([Buffer.from("one\r\ntwo")])).toEqual(["one", "two"]);
  expect(split([Buffer.from(`a\n${"x".repeat(50)}\nb\n`)], 20)).toEqual(["a", "b"]);
});
