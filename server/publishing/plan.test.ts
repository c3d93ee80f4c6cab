import { expect, test } from "vitest";
import { planChange } from "./plan.ts";

const entry = (path: string, sha256: string, contentType = "text/plain") => ({
  path,
  sha256,
  contentType,
  size: 1,
});

test("tells added, changed, removed and unchanged files apart", () => {
  const before = [entry("same", "1"), entry("bytes", "1"), entry("type", "1"), entry("gone", "1")];
  const after = [entry("same", "1"), entry("bytes", "2"), entry("type", "1", "text/html"), entry("new", "1")];
  expect(planChange(before, after)).toEqual({
    added: ["new"],
    changed: ["bytes", "type"],
    removed: ["gone"],
    unchanged: 1,
  });
});
