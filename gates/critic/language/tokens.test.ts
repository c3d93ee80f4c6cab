import fc from "fast-check";
import { expect, test } from "vitest";
import { endsDoubled, hasDigit, isSmallWord, listSentenceEnds, listTokens, toOneLine } from "./tokens.ts";

/** What the functions are written out from. */
const TOKEN =
  /[\w@#\u00aa-\uffdc][\w'/@.\u00aa-\uffdc-]*[\w\u00aa-\uffdc]|[\w\u00aa-\u1fff\u3040-\uffdc]|->|=>|[,;:()>!?…—–&+.]/g;
const SENTENCE_END = /[.!?…]+["')\]]*(?=\s|$)/g;

const mixed = fc
  .array(
    fc.oneof(
      fc.constantFrom(...Array.from("ab1_ .,;:()>!?…—–&+-=/'@#\"]é漢。\u00a0\t")),
      fc.constantFrom("->", "=>", "it's", "src/a.ts", "e.g.", "bb"),
      fc.string({ unit: "grapheme", maxLength: 2 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));
const always = (check: (text: string) => void): void =>
  fc.assert(
    fc.property(mixed, (text) => {
      check(text);
    }),
    { numRuns: 2_000 },
  );

test("finds the words, arrows and marks that the expression finds", () =>
  always((text) =>
    expect(listTokens(text, 0, text.length)).toEqual(
      [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({ text: token, at: index })),
    ),
  ));

test("looks at no more than the part it is given", () => {
  expect(listTokens("one two three", 4, 7)).toEqual([{ text: "two", at: 4 }]);
  expect(listTokens("a->b", 0, 2)).toEqual([{ text: "a", at: 0 }]);
});

test("finds the ends of sentences that the expression finds", () =>
  always((text) =>
    expect(listSentenceEnds(text)).toEqual(
      [...text.matchAll(SENTENCE_END)].map(({ 0: mark, index }) => ({ mark, end: index + mark.length })),
    ),
  ));

test("tells digits, small words, doubled ends and blanks as expressions do", () =>
  always((text) => {
    expect(hasDigit(text)).toBe(/\d/.test(text));
    expect(isSmallWord(text)).toBe(/^[a-z]+$/.test(text));
    expect(endsDoubled(text)).toBe(/([bdgklmnprt])\1$/.test(text));
    expect(toOneLine(text)).toBe(text.replace(/\s+/g, " ").trim());
  }));
