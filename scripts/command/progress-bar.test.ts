import { expect, test } from "vitest";
import { formatBytes } from "./format-bytes.ts";
import { createProgressBar } from "./progress-bar.ts";

const drawn = (isTTY: boolean, isQuiet = false) => {
  const written: string[] = [];
  let at = 0;
  const stream = { write: (text: string) => written.push(text), isTTY, columns: 80 };
  const bar = createProgressBar(stream, { isQuiet, now: () => (at += 100) });
  bar.show("uploading", 1, 4, "1 of 4");
  bar.show("uploading", 4, 4, "4 of 4");
  bar.clear();
  return written.join("");
};

test("draws how far it is on one line, and leaves nothing behind", () => {
  const text = drawn(true);
  expect(text).toContain("uploading  ██████░░░░░░░░░░░░░░░░░░  25%  1 of 4");
  expect(text).toContain("100%  4 of 4");
  expect(text.endsWith("\r\u001B[2K")).toBe(true);
  expect(text).not.toContain("\n");
});

test("says nothing where no terminal is, or when JSON is wanted", () => {
  expect(drawn(false) + drawn(true, true)).toBe("");
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [12_345_678, "12.3 MB"],
  [999_999, "1.0 MB"],
  [123_456_789, "123 MB"],
])("says %i bytes as %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
