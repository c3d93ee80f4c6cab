import { expect, test } from "vitest";
import { addBuckets } from "./text-buckets.ts";
import { bucketsOf } from "./trigrams.ts";

const BITS = 18;

const seen = new Uint32Array(2 ** BITS);
const out = new Uint32Array(1024);
let stamp = 0;

const bucketsIn = (text: string): number[] => {
  stamp += 1;
  const length = addBuckets(Buffer.from(text), { bits: BITS, seen, stamp, out, length: 0 });
  return [...out.subarray(0, length)];
};

const missing = (text: string): number[] => {
  const found = bucketsIn(text);
  return bucketsOf([text], BITS).filter((bucket) => !found.includes(bucket));
};

test("tells every three bytes of any letter's lower case, however it is written", () => {
  const wrong: string[] = [];
  for (let code = 1; code < 0x110000; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    if (missing(`Ab→${letter}`).length > 0) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test.each(["İ", "K→", "Äb", "✓ Ä", "→ ÄPFEL ← Öl", "│ done │ Ω", "Ⅎ", "🎉 𐐀"])(
  "finds %s wherever the letter to fold stands",
  (text) => {
    expect(missing(text)).toEqual([]);
    expect(missing(`plain ASCII before ${text}`)).toEqual([]);
    expect(missing(`${text} and after`)).toEqual([]);
  },
);

test("tells nothing of text that is not there", () => {
  expect(bucketsIn("→ ✓ │")).toEqual(bucketsOf(["→ ✓ │"], BITS));
  expect(bucketsIn("ab")).toEqual([]);
});
