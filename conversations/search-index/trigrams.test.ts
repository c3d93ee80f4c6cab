import { expect, test } from "vitest";
import { foldBytes } from "./trigrams.ts";

test("puts every letter that has a lower case into it, and leaves the rest as it is", () => {
  const wrong: string[] = [];
  for (let code = 1; code < 0x110000; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    // Within ASCII the innermost loop does it, byte by byte.
    const folded = Buffer.from(foldBytes(Buffer.from(`${letter}→`))).toString("utf8");
    if (folded.replace(/[A-Z]/, (ascii) => ascii.toLowerCase()) !== `${letter}→`.toLowerCase())
      wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test("tells text with arrows, ticks and emoji from text with letters to fold", () => {
  const marks = Buffer.from("→ done ✓ │ 🎉 “quoted” — Äpfel".slice(0, 24));
  expect(foldBytes(marks)).toBe(marks);
  expect(Buffer.from(foldBytes(Buffer.from("→ ÄPFEL"))).toString("utf8")).toBe("→ äpfel");
});
