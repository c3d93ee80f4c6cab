import fc from "fast-check";
import { expect, test } from "vitest";
import { readGo } from "./go.ts";
import { readJavascript } from "./javascript/read-javascript.ts";
import { readPython } from "./python/read-python.ts";
import { readRust } from "./rust.ts";
import { type LexedLanguage, lex } from "./tokens.ts";

const LANGUAGES: LexedLanguage[] = ["javascript", "python", "go", "rust"];
const PIECES = [
  "'",
  '"',
  "`",
  "'''",
  "#",
  "//",
  "/*",
  "*/",
  "\\",
  "\n",
  "(",
  "}",
  "r#",
  "f",
  "1",
  "fn test",
  "def test_a():",
  "==",
  " ",
];
const texts = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 8 })), { maxLength: 40 })
  .map((parts) => parts.join(""));

test("leaves out nothing but space, whatever the text", () => {
  fc.assert(
    fc.property(fc.constantFrom(...LANGUAGES), texts, (language, text) => {
      const kept = lex(text, language)
        .map((token) => token.text)
        .join("");
      expect(kept.replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
    }),
  );
});

test("reads every text, whatever stands in it", () => {
  fc.assert(
    fc.property(texts, (text) => {
      readPython("tests/test_a.py", text);
      readGo("a_test.go", text);
      readRust("src/lib.rs", text);
      readJavascript("a.test.ts", text);
    }),
  );
});

test("knows strings, characters, lifetimes and comments apart", () => {
  const kinds = (text: string, language: LexedLanguage) =>
    lex(text, language).map(({ kind, text: own }) => `${kind} ${own}`);
  expect(kinds(`f("# no", '''a\n"b"''') # yes`, "python")).toEqual([
    "word f",
    "mark (",
    'string "# no"',
    "mark ,",
    `string '''a\n"b"'''`,
    "mark )",
    "comment # yes",
  ]);
  expect(kinds(`x: &'a str = r#"a "b" // c"#; 'x' /* a /* b */ c */`, "rust")).toEqual([
    "word x",
    "mark :",
    "mark &",
    "mark 'a",
    "word str",
    "mark =",
    `string r#"a "b" // c"#`,
    "mark ;",
    "string 'x'",
    "comment /* a /* b */ c */",
  ]);
  expect(kinds("`a\\` + '/' // b", "go")).toEqual(["string `a\\`", "mark +", "string '/'", "comment // b"]);
  expect(kinds('a / b; x = /[/]"/g', "javascript")).toEqual([
    "word a",
    "mark /",
    "word b",
    "mark ;",
    "word x",
    "mark =",
    'string /[/]"/g',
  ]);
});
