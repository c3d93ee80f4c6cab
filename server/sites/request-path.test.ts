import fc from "fast-check";
import { expect, test } from "vitest";
import { readRequestPath } from "./request-path.ts";

test.each([
  ["/", { path: "", folder: true, query: "" }],
  ["/?a=/../b", { path: "", folder: true, query: "a=/../b" }],
  ["/a/b", { path: "a/b", folder: false, query: "" }],
  ["/a/", { path: "a", folder: true, query: "" }],
  ["/%61%20b", { path: "a b", folder: false, query: "" }],
  ["/%252f", { path: "%2f", folder: false, query: "" }],
  ["/u%CC%88", { path: "ü", folder: false, query: "" }],
  ["/%2e%2e%2e", { path: "...", folder: false, query: "" }],
])("reads %s", (target, expected) => {
  expect(readRequestPath(target)).toEqual(expected);
});

test.each([
  "",
  "x",
  "*",
  "//",
  "/a//b",
  "/..",
  "/a/..",
  "/%2e%2e/a",
  "/a%2fb",
  "/a%5Cb",
  "/a\\b",
  "/%00",
  "/%0a",
  "/%",
  "/%c3",
])("refuses %j", (target) => {
  expect(readRequestPath(target)).toBeUndefined();
});

test("decodes once: what is encoded comes out as it went in, and nothing else does", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (name) => {
      const found = readRequestPath(`/${encodeURIComponent(name)}`);
      if (found) expect(found.path).toBe(name.normalize("NFC"));
      else expect(name).toMatch(/[\u0000-\u001f\u007f/\\#]|^\.{1,2}$/);
    }),
    { numRuns: 2000 },
  );
});
