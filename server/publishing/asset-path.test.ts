import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAssetPath } from "./asset-path.ts";

const parse = (text: string) => parseAssetPath(text, 512);

test.each([
  ["index.html", "index.html"],
  ["/index.html", "index.html"],
  ["a/b c/ü.txt", "a/b c/ü.txt"],
  ["u\u0308.txt", "ü.txt"],
  ["100%.html", "100%.html"],
  ["a%2Fb.txt", "a%2Fb.txt"],
  [".well-known/security.txt", ".well-known/security.txt"],
])("takes %j as %j", (text, path) => {
  expect(parse(text)).toEqual({ path, warnings: [] });
});

test.each([
  "",
  "/",
  "//a",
  "a//b",
  "a/",
  "../a",
  "a/../b",
  "./a",
  "a\\b",
  "a\u0000b",
  "a\nb",
  ".env",
  "a/.git/config",
  "a/.well-known/x",
  "a./b",
  "a /b",
  "\ud800",
  "x".repeat(513),
  "ä".repeat(200),
])("refuses %j", (text) => {
  expect(parse(text)).toHaveProperty("fault");
});

test.each(["con", "aux.txt", "a/LPT1.js", "a:b", "what?.html"])(
  "warns of %j, which Windows cannot hold",
  (text) => {
    expect(parse(text)).toMatchObject({
      path: text,
      warnings: [expect.stringContaining("Windows") as string],
    });
  },
);

test("takes what it gave as it is, and never gives a path that leaves its folder", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.webPath(),
        fc.string({ unit: fc.constantFrom(".", "/", "\\", "%", "a", "\u0000", " ") }),
      ),
      (text) => {
        const first = parse(text);
        if ("fault" in first) return;
        expect(parse(first.path)).toEqual(first);
        expect(first.path.split("/")).not.toContain("..");
        expect(first.path).not.toMatch(/^\/|\/$|\/\/|\\|\u0000/);
      },
    ),
    { numRuns: 2000 },
  );
});
