import fc from "fast-check";
import { expect, test } from "vitest";
import { findInTable, packTable } from "./packed-table.ts";

const text = fc.string({ unit: "grapheme" }).map((one) => one.replaceAll(/[\t\n]/g, " "));

test("finds what a map of the same entries finds, and nothing else", () => {
  fc.assert(
    fc.property(fc.dictionary(text, text), fc.array(text), (entries, others) => {
      const map = new Map(Object.entries(entries));
      const table = packTable(map);
      for (const key of [...map.keys(), ...others, "", "__proto__", "constructor"])
        expect(findInTable(table, key)).toBe(map.get(key));
    }),
  );
});
