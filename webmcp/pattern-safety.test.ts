import * as fc from "fast-check";
import { expect, test } from "vitest";
import { judgePattern } from "./pattern-safety.ts";

const LINEAR = [
  "^[a-z]+$",
  "foo",
  "^[a-z0-9]+(?:-[a-z0-9]+)*$",
  "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
  "^[a-f0-9]{64}$",
  "^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$",
  "^\\d{4}-\\d{2}-\\d{2}$",
  "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  "^\\/(?:[^/]+\\/)*[^/]*$",
  "^[\\u{1F600}-\\u{1F64F}\\x41\\t\\]\\-a-c]+$",
  "^(?<name>\\p{Lu}\\p{Ll}{0,20})$",
  "^[a-zäöüß]+(?:\\s[a-zäöüß]+)*$",
];

test.each(LINEAR)("%s is fine on texts of any length", (pattern) => {
  expect(judgePattern(pattern)).toEqual({ safe: true, maxSafeLength: Infinity });
});

const POLYNOMIAL = ["^.*foo.*$", "[a-z]+$", "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "x*y*z*$", "^\\d+|\\w+$"];

test.each(POLYNOMIAL)("%s is fine on texts of some length", (pattern) => {
  const verdict = judgePattern(pattern);
  expect(verdict).toMatchObject({ safe: true });
  expect(verdict.safe && verdict.maxSafeLength).toBeGreaterThan(90);
  expect(verdict.safe && verdict.maxSafeLength).toBeLessThan(20_000);
});

// Each stalls a backtracking engine on a text of a few dozen characters, or could.
const CATASTROPHIC = [
  "^(a+)+$",
  "(a*)*b",
  "^(a|a)*$",
  "^(a|ab|b)*$",
  "^(?:x+x+)+y$",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "^(\\p{L}+\\s?)+$",
  "^(a?){30}a{30}$",
  "^(?:[a-z]+\\d?){5,}$",
  "^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$",
  "(?:.|\\n)*x",
  "^(?:[^\\p{L}]|!)+$",
  "^([^\\p{L}]|[^\\P{N}\\d])*$",
  "^([^\\ud800]|!)*$",
];

test.each(CATASTROPHIC)("%s is refused", (pattern) => {
  expect(judgePattern(pattern)).toMatchObject({ safe: false });
});

test.each([
  ["(a)\\1", "a back-reference"],
  ["(?<x>a)\\k<x>", "a back-reference"],
  ["^(?=a)b", "a look-ahead"],
  ["(?<!a)b", "a look-behind"],
])("%s is refused because it uses %s", (pattern, what) => {
  expect(judgePattern(pattern)).toEqual({
    safe: false,
    reason: `the pattern uses ${what}, whose cost cannot be bounded`,
  });
});

test("a judgement does not itself take long on a large pattern", () => {
  expect(judgePattern(`^(?:${"[a-z]|".repeat(300)}x)*$`)).toMatchObject({ safe: false });
  expect(judgePattern("^(?:[a-z]{50}){50}$")).toMatchObject({ safe: true });
});

const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "[^\\p{L}]", "\\w", "\\d", "aa", "ab", "$", "");
const quantifier = fc.constantFrom("", "", "*", "+", "?", "{2}", "{0,3}", "{2,}", "*?");
const pattern = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3 },
    fc
      .tuple(atom, quantifier)
      .map(([text, count]) => (text === "" || text === "$" ? text : `(?:${text})${count}`)),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => `(?:${parts.join("|")})`),
    fc.tuple(tie("pattern"), quantifier).map(([inner, count]) => `(?:${inner})${count}`),
  ),
})).pattern;

test("what is judged safe does not stall on texts made to stall it", () => {
  const tails = ["", "!", "b!", "ab!", "1!"];
  let safe = 0;
  let refused = 0;
  fc.assert(
    fc.property(pattern, fc.boolean(), (body, anchored) => {
      const source = anchored ? `^(?:${body})$` : `${body}x`;
      const verdict = judgePattern(source);
      if (!verdict.safe) return void (refused += 1);
      safe += 1;
      // Long enough for an exponential pattern never to end, short enough for a polynomial one to be quick.
      const length = verdict.maxSafeLength === Infinity ? 3000 : Math.min(verdict.maxSafeLength, 150);
      // A wrong judgement shows as a test that never ends.
      for (const unit of ["a", "b", "ab", "aab", "1"])
        for (const tail of tails)
          new RegExp(source, "u").test(
            unit.repeat(length).slice(0, Math.max(0, length - tail.length)) + tail,
          );
    }),
    { numRuns: Number(process.env["WEBMCP_PATTERNS"] ?? 400) },
  );
  expect(safe).toBeGreaterThan(40);
  expect(refused).toBeGreaterThan(40);
});
