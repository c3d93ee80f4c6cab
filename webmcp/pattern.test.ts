import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compilePattern, type Pattern } from "./pattern.ts";

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
  "^.{0,512}$",
];

// What is slow on long texts in a backtracking engine.
const POLYNOMIAL = ["^.*foo.*$", "[a-z]+$", "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", "x*y*z*$", "^\\d+|\\w+$"];

// What stalls a backtracking engine on a text of a few dozen characters, or could.
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

const NESTED_OPTIONAL = ["^(?:(?:a?){5}){5}$", "(?:(?:a?b?){0,9}){0,9}x", "^(?:(?:(?:a?)?)*)*[xy]$"];

const EMPTY_ALTERNATIVES = ["^(?:a|)*$", "(?:|a|ab)+x", "^(?:(?:|a)*|b|)*[xy]$", "^(?:a||$|\\b)*x"];

const EVERY = [...LINEAR, ...POLYNOMIAL, ...CATASTROPHIC, ...NESTED_OPTIONAL, ...EMPTY_ALTERNATIVES];

const compiled = (source: string): Pattern => {
  const pattern = compilePattern(source);
  if (typeof pattern === "string") throw new Error(`${source}: ${pattern}`);
  return pattern;
};

const UNITS = ["a", "ab", "x", "1", "-"];

test.each(EVERY)("%s ends on long texts made to stall a backtracking engine", (source) => {
  const pattern = compiled(source);
  // A wrong engine shows as a test that never ends.
  for (const unit of UNITS) {
    const text = `${unit.repeat(100_000 / unit.length)}!`;
    expect(typeof pattern.test(text)).toBe("boolean");
  }
});

/** Where a pattern matches for the one engine and not for the other. */
const differences = (source: string, texts: readonly string[]): string[] => {
  const pattern = compiled(source);
  const expression = new RegExp(source, "u");
  return texts.filter((text) => pattern.test(text) !== expression.test(text));
};

const SHORT = UNITS.flatMap((unit) => ["", "!", "x", "y", "b", "@a.a"].map((tail) => unit + unit + tail));

test.each(EVERY)("%s means what it means in JavaScript", (source) => {
  const examples = [
    "",
    "foo",
    "2026-01-31",
    "192.168.0.1",
    "YWJj",
    "/a/b",
    "😀A]-",
    "Émile",
    "grüße an",
    "aA@a",
  ];
  expect(differences(source, [...SHORT, ...examples])).toEqual([]);
});

// Spaces, ends of lines, letters, halves of characters, and their neighbours.
const CODES =
  "167f 1680 1681 180e 1fff 2000 200a 200b 2027 2028 2029 202a 202e 202f 2030 205e 205f 2060 2fff 3000 3001 d800 " +
  "dbff dc00 dfff fefe feff ff00 ffff 10000 1f5ff 1f600 1f601 1f64f 1f650 10ffff";
const CHARACTERS = [
  ...Array.from({ length: 0x300 }, (_, code) => code),
  ...CODES.split(" ").map((code) => Number.parseInt(code, 16)),
].map((code) => String.fromCodePoint(code));

test.each([
  String.raw`\s \S . \d \D \w \W \b \B [\s] [\S] [^\s] [^\S] [\s\d] [\S\n] [^\S\n] [\s-] [.] [^.] [\b] [\w-]`,
  String.raw`[] [^] [[] [[:alpha:] [\]] [\-] [a-c-e] [-a] [a-] [+--] [(?<a>] [(?=] [\^a] [a^] [$] [|] [\\] [/] / \/`,
  String.raw`\0 [\0] \x41 \u0041 \u{41} \u{000041} \cA [\cj] \t \n \v \f \r [\v] \. \$ \^ \{ \} \[ \( \| \\`,
  String.raw`\ud83d\ude00 [\ud83d\ude00] [\ud83d\ude00-\ud83d\ude4f] [^\ud83d\ude00] 😀 [😀-🙏] \u{1F600}`,
  String.raw`\ud83d [\ud800-\udbff] \u{d83d}\u{de00} [^\ud83d] (?<$größe>.) \\ud83d\\ude00`,
  String.raw`\p{L} \P{L} \p{Lu} [\p{L}\d] [^\P{L}] \p{Script=Greek} \p{sc=Latin} \p{gc=Nd} [\P{General_Category=Lu}]`,
  String.raw`\p{Letter} \P{Letter} [^\p{Letter}\d] \p{ID_Start} [$\p{ID_Continue}] \p{Any} \P{Any} [^\P{Any}] [a\P{Any}] \p{scx=Grek}`,
])("each of %s takes the characters that it takes in JavaScript", (sources) => {
  for (const source of sources.split(" "))
    expect([source, differences(source, CHARACTERS), differences(`^${source}$`, CHARACTERS)]).toEqual([
      source,
      [],
      [],
    ]);
});

test.each([
  ["(a)\\1", "the pattern uses a back-reference, which is not supported"],
  ["(?<x>a)\\k<x>", "the pattern uses a back-reference, which is not supported"],
  ["^(?=a)b", "the pattern uses look-ahead, which is not supported"],
  ["^(?!a)b", "the pattern uses look-ahead, which is not supported"],
  ["(?<=a)b", "the pattern uses look-behind, which is not supported"],
  ["(?<!a)b", "the pattern uses look-behind, which is not supported"],
  ["a{1001}", "the pattern cannot be run: invalid repeat count: `{1001}`"],
  ["(?:a{100}){100}", "the pattern cannot be run: invalid repeat count: `{100}`"],
  ["^.{0,1000}$", "the pattern repeats too much"],
  ["(", "the pattern is not a regular expression under the u flag"],
  ["\\-", "the pattern is not a regular expression under the u flag"],
])("%s is refused because %s", (source, reason) => {
  expect(compilePattern(source)).toBe(reason);
});

// Not \B, which V8 also finds between the halves of an emoji.
const atom = fc.constantFrom(
  ..."a b . [ab] [^a] [^\\p{L}] [\\s-] [^\\S\\n] [a\\S] \\w \\d \\s \\S \\W aa ab $ ^ \\b 😀 [😀-😂] \\ud83d\\ude00 [[\\]]".split(
    " ",
  ),
  "",
  " ",
);
const quantifier = fc.constantFrom("", "*", "+", "?", "{0,2}", "{2}", "{2,}", "*?", "+?", "??");

const patterns = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 2 },
    fc.tuple(atom, quantifier).map(([text, count]) => `(?:${text})${count}`),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => parts.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((parts) => `(?:${parts.join("|")})`),
    fc.tuple(tie("pattern"), quantifier).map(([inner, count]) => `(${inner})${count}`),
  ),
})).pattern;

// Short, so that a backtracking engine ends, too.
const shortText = fc.string({
  unit: fc.constantFrom(..."ab 1!\n\r\v\u00a0\u2028é😀😁[]-".split(/(?:)/u), "\ud83d", "\ude00"),
  maxLength: 7,
});

test("a pattern matches where it matches in JavaScript", () => {
  let matched = 0;
  fc.assert(
    fc.property(
      patterns,
      fc.boolean(),
      fc.array(shortText, { minLength: 5, maxLength: 10 }),
      (body, whole, texts) => {
        const source = whole ? `^(?:${body})$` : body;
        expect([source, differences(source, texts)]).toEqual([source, []]);
        matched += texts.filter((text) => text !== "" && compiled(source).test(text)).length;
      },
    ),
    { numRuns: Number(process.env["WEBMCP_PATTERNS"] ?? 500) },
  );
  expect(matched).toBeGreaterThan(100);
});
