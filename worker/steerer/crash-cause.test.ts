import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findCrashCause } from "./crash-cause.ts";

let log = "";
beforeEach(() => {
  log = join(mkdtempSync(join(tmpdir(), "nightshift-cause-")), "w.log");
});
afterEach(() => rmSync(join(log, ".."), { recursive: true }));

const AT = "2026-11-20T19:00:00.000Z";

test("the last words of a runtime are found behind the last line of the log", () => {
  writeFileSync(
    log,
    `${AT} agent: TypeError: quoted by the agent\n\n<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed\n 1: 0xb76db1\n`,
  );
  expect(findCrashCause(log)).toBe("FATAL ERROR: Reached heap limit Allocation failed");
});

test("a killed supervisor has none, nor has one without a log", () => {
  writeFileSync(log, `old words of an earlier crash\n${AT} worker w resumed\n${AT} agent: Error: no\n`);
  expect(findCrashCause(log)).toBeUndefined();
  rmSync(log);
  expect(findCrashCause(log)).toBeUndefined();
});
