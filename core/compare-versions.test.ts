import { expect, test } from "vitest";
import { compareVersions } from "./compare-versions.ts";

test("versions are ordered by their numbers, not by their letters", () => {
  expect(compareVersions("1.10.0", "1.9.2")).toBe(1);
  expect(compareVersions("2.1.197", "2.1.330")).toBe(-1);
  expect(compareVersions("1.2.3-beta", "1.2.3")).toBe(0);
  expect(compareVersions("1.2", "1.2.1")).toBe(-1);
  expect(compareVersions("1.2.0", "1.2")).toBe(0);
  expect(compareVersions("version unknown", "0.1")).toBe(-1);
});
