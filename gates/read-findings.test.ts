import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFindings } from "./read-findings.ts";

let root = "";
const FILES = [
  "src/a.test.ts",
  "src/a.test.js",
  "tests/test_a.py",
  "pkg/deep/a_test.go",
  "src/lib.rs",
  "src/a.ts",
];
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "nightshift-findings-"));
  for (const file of FILES) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "");
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const read = (output: string) =>
  readFindings(output.replaceAll("{root}", root), { root, folder: root }).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  );

test.each([
  [
    "node:test in a pipe",
    `TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.2
  type: 'test'
  location: '{root}/src/a.test.js:3:1'
  failureType: 'testCodeFailure'
  error: 'Expected values to be strictly equal'
  code: 'ERR_ASSERTION'
  stack: |-
    TestContext.<anonymous> (file://{root}/src/a.test.js:4:10)
  ...
# fail 1`,
    ["src/a.test.js:3: adds: Expected values to be strictly equal"],
  ],
  [
    "node:test in a pipe, with a message of several lines",
    `not ok 1 - adds
  ---
  location: '{root}/src/a.test.js:3:1'
  error: |-
    Expected values to be strictly equal:
    
    -1 !== 3
    
  code: 'ERR_ASSERTION'
  name: 'AssertionError'`,
    ["src/a.test.js:3: adds: Expected values to be strictly equal: -1 !== 3"],
  ],
  [
    "node:test on a terminal",
    `✖ adds (1.1ms)
ℹ fail 1

✖ failing tests:

test at src/a.test.js:3:1
✖ adds (1.123ms)
  AssertionError [ERR_ASSERTION]: 3 == 4
      at TestContext.<anonymous> (file://{root}/src/a.test.js:4:10)`,
    ["src/a.test.js:3: adds: 3 == 4"],
  ],
  [
    "vitest",
    ` FAIL  src/a.test.ts > sums > adds
AssertionError: expected 3 to be 4 // Object.is equality
 ❯ src/a.test.ts:5:17
      3| test("adds", () => {
 ❯ node_modules/x/index.js:1:1`,
    ["src/a.test.ts:5: sums > adds: expected 3 to be 4 // Object.is equality"],
  ],
  [
    "jest",
    `FAIL src/a.test.js
  ● sums › adds

    expect(received).toBe(expected)

    Expected: 4
    Received: 3

      at Object.<anonymous> (src/a.test.js:3:20)
      at run (src/a.test.js:9:1)`,
    ["src/a.test.js:3: sums › adds: Expected: 4 Received: 3"],
  ],
  [
    "pytest",
    `    def test_adds():
>       assert 1 + 1 == 3
E       assert 2 == 3

tests/test_a.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_adds - assert 2 == 3`,
    ["tests/test_a.py:5: test_adds: assert 2 == 3"],
  ],
  [
    "go test",
    `--- FAIL: TestAdds (0.00s)
    a_test.go:7: got 2, want 3
FAIL
FAIL\texample.com/mod/pkg/deep\t0.003s
FAIL`,
    ["pkg/deep/a_test.go:7: TestAdds: got 2, want 3"],
  ],
  [
    "cargo",
    `thread 'tests::adds' (4711) panicked at src/lib.rs:10:9:
assertion \`left == right\` failed
  left: 2
thread 'tests::old' panicked at 'boom', src/lib.rs:20:5`,
    ["src/lib.rs:10: tests::adds: assertion `left == right` failed", "src/lib.rs:20: tests::old: boom"],
  ],
  ["a compiler", "src/a.ts(3,7): error TS2322: no", ["src/a.ts:3: TS2322: no"]],
])("names test, place and reason out of what %s prints", (_, output, expected) => {
  expect(read(output)).toEqual(expected);
});
