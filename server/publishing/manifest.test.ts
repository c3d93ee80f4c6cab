import { expect, test } from "vitest";
import { LIMITS } from "./limits.ts";
import { checkManifest, manifestDigest } from "./manifest.ts";

const entry = (path: string, size = 1, digit = "0") => ({ path, size, sha256: digit.repeat(64) });

test("decides the type by the extension, and takes the publisher's word only for an unknown one", () => {
  const { entries } = checkManifest(
    [
      { ...entry("index.html"), contentType: "image/png" },
      { ...entry("feed"), contentType: "application/rss+xml" },
      { ...entry("x.strange"), contentType: "text/x-evil" },
    ],
    LIMITS,
  );
  expect(entries.map(({ path, contentType }) => [path, contentType])).toEqual([
    ["feed", "application/rss+xml"],
    ["index.html", "text/html; charset=utf-8"],
    ["x.strange", "application/octet-stream"],
  ]);
});

test("has one digest for one site, whatever the order it is listed in", () => {
  const one = checkManifest([entry("index.html"), entry("a.txt", 1, "1")], LIMITS).entries;
  const two = checkManifest([entry("a.txt", 1, "1"), entry("/index.html")], LIMITS).entries;
  expect(manifestDigest(one)).toBe(manifestDigest(two));
  expect(manifestDigest(one)).not.toBe(manifestDigest(checkManifest([entry("index.html")], LIMITS).entries));
});

test("refuses one digest with two sizes", () => {
  const { faults } = checkManifest([entry("index.html", 1), entry("a.txt", 2)], LIMITS);
  expect(faults).toEqual([expect.objectContaining({ path: "/manifest/1/size", file: "a.txt" })]);
});

test("counts what a base brings along against the limits", () => {
  const base = Array.from({ length: 500 }, (_, index) => ({
    ...entry(index === 0 ? "index.html" : `${index}.txt`),
    contentType: "text/plain",
  }));
  expect(checkManifest([entry("new.txt")], LIMITS, { base }).faults).toEqual([
    expect.objectContaining({ path: "/manifest", limit: 500, value: 501 }),
  ]);
  expect(checkManifest([entry("new.txt")], LIMITS, { base, remove: ["1.txt"] }).faults).toEqual([]);
  expect(checkManifest([], LIMITS, { base, remove: ["index.html"] }).faults[0]?.message).toContain(
    "index.html is required",
  );
});

test("says the length of a list that is far too long, and not a fault for each file", () => {
  const many = Array.from({ length: 20_000 }, (_, index) => entry(`${index}.txt`));
  const { faults } = checkManifest(many, LIMITS);
  expect(faults).toEqual([expect.objectContaining({ limit: 500, value: 20_000 })]);
});

test("bounds the files of rules", () => {
  const { faults } = checkManifest([entry("index.html"), entry("_headers", 300_000, "1")], LIMITS);
  expect(faults).toEqual([expect.objectContaining({ file: "_headers", limit: 262_144, value: 300_000 })]);
});
