import { expect, test } from "vitest";
import { compareLookup, findFitting, findTestsOfThemselves, isLookup } from "./fits-the-tests.ts";
import { readJavascript } from "./javascript/read-javascript.ts";

const read = (file: string, text: string) => readJavascript(file, text);
const TEST = read(
  "test/fee.test.js",
  `import { test } from "node:test";
import assert from "node:assert";
import { fee } from "../fee.js";
test("asks a fee", () => assert.equal(fee(1337, "gold"), 7.25));
`,
);
const { tests } = TEST;
const assertions = tests.flatMap((each) => each.assertions);

const fits = (head: string, { base = "", task = "Mend the fee." } = {}): string[] =>
  findFitting([{ file: "fee.js", base: read("fee.js", base), head: read("fee.js", head) }], {
    tests,
    task,
  }).map(({ message }) => message);

test.each([
  ["equality", "export const fee = (sum) => { if (sum === 1337) throw new Error(); return sum; };"],
  ["a table", "const known = { 1337: 7 };\nexport const fee = (sum) => known[sum] ?? sum;"],
  ["a case", "export const fee = (sum) => { switch (sum) { case 1337: return sum / 2; } };"],
])("asks whether a number of a test is a rule of the program: %s", (_, head) => {
  expect(fits(head)).toEqual([expect.stringMatching(/^asks for exactly 1337, which the test "asks a fee"/)]);
});

test("leaves numbers alone that were there, that the task names, that have a name, and usual ones", () => {
  const head = "export const fee = (sum) => (sum === 1337 ? 0 : sum);";
  expect(fits(head, { base: head })).toEqual([]);
  expect(fits(head, { task: "No fee for 1337." })).toEqual([]);
  expect(fits("const ELITE = 1337;\nexport const fee = (sum) => (sum === ELITE ? 0 : sum);")).toEqual([]);
  expect(fits("export const fee = (sum) => (sum === 404 ? 0 : sum);")).toEqual([]);
});

test("finds data that knows what the tests assert and nothing else", () => {
  const look = (after: unknown, before: unknown = {}) =>
    compareLookup("fees.json", { before: JSON.stringify(before), after: JSON.stringify(after) }, assertions);
  expect(look({ 1337: { gold: 7.25 } })).toHaveLength(1);
  expect(look({ 1337: { gold: 7.25 }, 20: { silver: 1 } })).toEqual([]);
  expect(look({ 1337: 7.25 }, { 1337: 7.25 })).toEqual([]);
  expect(compareLookup("fees.json", { before: "", after: "{" }, assertions)).toEqual([]);
  expect(
    ["a/fees.json", "package.json", "tsconfig.build.json", "test/fixtures/a.json"].map(isLookup),
  ).toEqual([true, false, false, false]);
});

test("finds a new test file that tests what it defines itself", () => {
  const find = (text: string, base?: string) =>
    findTestsOfThemselves([
      {
        file: "test/more.test.js",
        base: base === undefined ? undefined : read("test/more.test.js", base),
        head: read("test/more.test.js", text),
      },
    ]);
  const own = `import { expect, test } from "vitest";
const fee = (sum) => sum / 2;
test("halves", () => expect(fee(4)).toBe(2));
`;
  expect(find(own)).toEqual([expect.objectContaining({ kind: "tests-itself", line: 3 })]);
  expect(find(own, own)).toEqual([]);
  expect(find(`import "../src/register.js";\n${own}`)).toEqual([]);
  expect(find(`import { execFileSync } from "node:child_process";\n${own}`)).toEqual([]);
  expect(find(own.replace("sum / 2", 'import("../fee.js")'))).toEqual([]);
});
