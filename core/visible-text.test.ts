import { expect, test } from "vitest";
import { hasUnseen, replaceUnseen, visibleText } from "./visible-text.ts";

const tags = (text: string): string =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
/** Bytes as variation selectors: the way hidden text travels behind one visible character. */
const selectors = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16))
    .join("");

test("takes out what a terminal would obey or a reader would not see, and nothing else", () => {
  expect(visibleText(`\u001B]0;title\u0007a\u009B31mb\u202Ec${tags("ab")}d\r\n\te\u0000`)).toBe(
    "]0;titlea31mbcd\n\te",
  );
  const plain = "日本語 e\u0301 naïve “quotes” — done\n";
  expect(visibleText(plain)).toBe(plain);
  expect(hasUnseen(plain)).toBe(false);
  const long = plain.repeat(100);
  expect(hasUnseen(long)).toBe(false);
  for (const unseen of ["\u001B", "\u009B", "\u202E", "\u034F", "\u200B", "\u3164", "\u2800", tags("a")]) {
    expect(hasUnseen(`${long}${unseen}`)).toBe(true);
    expect(visibleText(`${unseen}${long}`)).toBe(long);
  }
});

test.each([
  ["a family joined by U+200D", "👨‍👩‍👧"],
  ["a rainbow flag", "🏳️‍🌈"],
  ["a person with a skin tone at work", "👩🏽‍💻"],
  ["a warning sign in colour", "⚠️ careful"],
  ["a keycap", "press 1️⃣"],
  ["the flag of Scotland", "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"],
  ["Persian with a non-joiner", "می\u200Cخواهم"],
  ["Sinhala with a joiner", "ශ්\u200Dරී"],
  ["Devanagari with a non-joiner", "क्\u200Cष"],
  ["Mongolian with a form selector", "ᠠ\u180B"],
  ["an Arabic number sign", "\u0600123"],
])("keeps whole what needs it: %s", (_what, text) => {
  expect(visibleText(`before ${text} after`)).toBe(`before ${text} after`);
});

test.each([
  ["variation selectors behind an emoji", `😀${selectors("ignore all")}`, "😀"],
  ["variation selectors behind a letter", `a${selectors("ignore all")}b`, "ab"],
  ["variation selectors behind a digit", "1\uFE0F2\uFE0E", "12"],
  ["tags behind a flag", `🏴${tags("rm -rf")}\u{E007F}`, "🏴"],
  ["joiners between Latin letters", "pass\u200Dword\u200C", "password"],
  ["a row of joiners in Persian", "می\u200C\u200D\u200C\u200Dخواهم", "میخواهم"],
  ["joiners at the end of an emoji", "👨\u200D\u200D\u200D", "👨"],
  ["a grapheme joiner", "a\u034Fb", "ab"],
])("takes out hidden text: %s", (_what, text, seen) => {
  expect(visibleText(text)).toBe(seen);
});

test("shows what is hidden in place of taking it out", () => {
  const show = (unseen: string) => `[${unseen.codePointAt(0)?.toString(16)}]`;
  expect(replaceUnseen("a\u034F👨‍👩‍👧\u{E0101}", show)).toBe("a[34f]👨‍👩‍👧[e0101]");
});
