import fc from "fast-check";
import { expect, test } from "vitest";
import { openTable, packTable } from "./word-table.ts";

const plain = fc.array(fc.integer({ min: 0, max: 255 })).map((codes) => String.fromCharCode(...codes));

/** Where numbers of four bytes can be read. */
const inPlace = (bytes: Uint8Array): Buffer => Buffer.from(new Uint8Array(bytes).buffer);

test("finds what a map of the same entries finds, and nothing else", () => {
  fc.assert(
    fc.property(fc.dictionary(plain, plain), fc.array(fc.string({ unit: "grapheme" })), (entries, others) => {
      const map = new Map(Object.entries(entries));
      const find = openTable(inPlace(packTable(map)));
      for (const key of [...map.keys(), ...others, "", "__proto__", "constructor"])
        expect(find(key)).toBe(map.get(key));
    }),
  );
});

test("refuses what an entry cannot hold, naming it", () => {
  expect(() => packTable([["naïve→", ""]])).toThrow("naïve→");
  expect(() => packTable([["word", "x".repeat(70_000)]])).toThrow("word");
});
