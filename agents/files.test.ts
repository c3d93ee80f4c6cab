import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findStat } from "./files.ts";

test.skipIf(process.platform !== "linux")("a date just below a millisecond is not rounded up to it", () => {
  const folder = mkdtempSync(join(tmpdir(), "nightshift-files-"));
  const path = join(folder, "file");
  writeFileSync(path, "x");
  execFileSync("touch", ["-d", "@1795223476.177999973", path]);
  expect(findStat(path)).toMatchObject({ sizeBytes: 1, mtimeMs: 1795223476177 });
  rmSync(folder, { recursive: true });
});
