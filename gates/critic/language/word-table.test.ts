import fc from "fast-check";
import { expect, test } from "vitest";
import { findInTable, packTable } from "./word-table.ts";

const plain = fc.array(fc.integer({ min: 0, max: 255 })).map((codes) => String.fromCharCode(...codes));

test("finds what a map of the same entries finds, and nothing else", () => {
  fc.assert(
    fc.property(fc.dictionary(plain, plain), fc.array(fc.string({ unit: "grapheme" })), (entries, others) => {
      const map = new Map(Object.entries(entries));
      const table = Buffer.from(packTable(map));
      for (const key of [...map.keys(), ...others, "", "__proto__", "constructor"])
        expect(findInTable(table, key)).toBe(map.get(key));
    }),
  );
});

test("refuses what an entry cannot hold, naming it", () => {
  expect(() => packTable([["naïve→", ""]])).toThrow("naïve→");
  expect(() => packTable([["word", "x".repeat(70_000)]])).toThrow("word");
});
