import { expect, test } from "vitest";
import { hasUnseen, visibleText } from "./visible-text.ts";

test("takes out what a terminal would obey or a reader would not see, and nothing else", () => {
  const tags = String.fromCodePoint(0xe0041, 0xe0042);
  expect(visibleText(`\u001B]0;title\u0007a\u009B31mb\u202Ec${tags}d\r\n\te\u0000`)).toBe(
    "]0;titlea31mbcd\n\te",
  );
  const plain = "日本語 e\u0301 👨‍👩‍👧 naïve “quotes” — done\n";
  expect(visibleText(plain)).toBe(plain);
  expect(hasUnseen(plain)).toBe(false);
  const long = plain.repeat(100);
  expect(hasUnseen(long)).toBe(false);
  for (const unseen of ["\u001B", "\u009B", "\u202E", tags]) {
    expect(hasUnseen(`${long}${unseen}`)).toBe(true);
    expect(visibleText(`${unseen}${long}`)).toBe(long);
  }
});
