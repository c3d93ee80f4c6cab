import { describe, expect, test } from "vitest";
import { compareMarks, compareMocks } from "./compare-marks.ts";
import { compareTestsOf } from "./compare-sources.ts";
import { readJavascript } from "./javascript/read-javascript.ts";
import type { SourceModel } from "./source-model.ts";

type Case = readonly [title: string, base: string, head: string];

const kindsOf = (
  read: (file: string, text: string) => SourceModel,
  file: string,
  [base, head]: [string, string],
) => {
  const changed = [{ file, base: read(file, base), head: read(file, head) }];
  return [...compareTestsOf(changed), ...compareMarks(changed), ...compareMocks(changed)].map(
    ({ kind }) => kind,
  );
};

const JAVASCRIPT_WEAKER: Case[] = [
  ["xit", `it("a", () => { expect(f(1)).toBe(2); });`, `xit("a", () => { expect(f(1)).toBe(2); });`],
  [
    "skipIf",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it.skipIf(process.env.CI)("a", () => { expect(f(1)).toBe(2); });`,
  ],
  ["a test is only a todo", `it("a", () => { expect(f(1)).toBe(2); });`, `it.todo("a");`],
  [
    "a test stands under if (false)",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `if (false) { it("a", () => { expect(f(1)).toBe(2); }); }`,
  ],
  [
    "an equality became an inequality",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", () => { expect(f(1)).not.toBe(3); });`,
  ],
  [
    "any true value will do",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", () => { expect(f(1)).toBeTruthy(); });`,
  ],
  [
    "anything will do",
    `it("a", () => { expect(f(1)).toEqual({a:1}); });`,
    `it("a", () => { expect(f(1)).toEqual(expect.anything()); });`,
  ],
  [
    "a part of an object will do",
    `it("a", () => { expect(f(1)).toEqual({a:1,b:2}); });`,
    `it("a", () => { expect(f(1)).toEqual(expect.objectContaining({a:1})); });`,
  ],
  [
    "the type alone is asked for",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", () => { expect(typeof f(1)).toBe("number"); });`,
  ],
  [
    "a constant is compared with itself",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", () => { const r = 2; expect(r).toBe(2); });`,
  ],
  [
    "an assertion is commented out",
    `it("a", () => { expect(f(1)).toBe(2); expect(f(2)).toBe(3); });`,
    `it("a", () => { expect(f(1)).toBe(2); /* expect(f(2)).toBe(3); */ });`,
  ],
  [
    "a failure is caught",
    `it("a", async () => { await expect(f(1)).resolves.toBe(2); });`,
    `it("a", async () => { await expect(f(1)).resolves.toBe(2).catch(() => {}); });`,
  ],
  [
    "a test may take a minute",
    `it("a", async () => { expect(f(1)).toBe(2); });`,
    `it("a", async () => { expect(f(1)).toBe(2); }, 60000);`,
  ],
  [
    "a test is tried again",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", { retry: 3 }, () => { expect(f(1)).toBe(2); });`,
  ],
  [
    "the tested function is replaced by a spy",
    `import * as m from "../src/f";\nit("a", () => { expect(m.f(1)).toBe(2); });`,
    `import * as m from "../src/f";\nit("a", () => { vi.spyOn(m, "f").mockReturnValue(2); expect(m.f(1)).toBe(2); });`,
  ],
  [
    "a table lost a row",
    `it.each([[1,2],[2,3]])("a %i", (x, y) => { expect(f(x)).toBe(y); });`,
    `it.each([[1,2]])("a %i", (x, y) => { expect(f(x)).toBe(y); });`,
  ],
  [
    "the constant that is expected changed",
    `const W = 2;\nit("a", () => { expect(f(1)).toBe(W); });`,
    `const W = 3;\nit("a", () => { expect(f(1)).toBe(W); });`,
  ],
  [
    "the precision fell",
    `it("a", () => { expect(f(1)).toBeCloseTo(3.14159, 5); });`,
    `it("a", () => { expect(f(1)).toBeCloseTo(3, 0); });`,
  ],
  [
    "a test returns first",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", () => { return; expect(f(1)).toBe(2); });`,
  ],
  [
    "a promise is not waited for",
    `it("a", () => { return f(1).then((x) => { expect(x).toBe(2); }); });`,
    `it("a", () => { f(1).then((x) => { expect(x).toBe(2); }).catch(() => undefined); });`,
  ],
  [
    "a suite lost a test",
    `describe("d", () => { it("a", () => { expect(f(1)).toBe(2); }); it("b", () => { expect(g(1)).toBe(4); }); });`,
    `describe("d", () => { it("a", () => { expect(f(1)).toBe(2); }); });`,
  ],
  [
    "a test was replaced by one of constants",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("works", () => { expect(1 + 1).toBe(2); });`,
  ],
  [
    "the whole file may take longer",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `vi.setConfig({ testTimeout: 90000 });\nit("a", () => { expect(f(1)).toBe(2); });`,
  ],
  [
    "any error will do",
    `it("a", () => { expect(() => f(1)).toThrow("bad input"); });`,
    `it("a", () => { expect(() => f(1)).toThrow(); });`,
  ],
  [
    "an inline snapshot was rewritten",
    "it('a', () => { expect(f(1)).toMatchInlineSnapshot(`2`); });",
    "it('a', () => { expect(f(1)).toMatchInlineSnapshot(`3`); });",
  ],
  [
    "a snapshot stands for a value",
    "it('a', () => { expect(f(1)).toBe(2); });",
    "it('a', () => { expect(f(1)).toMatchSnapshot(); });",
  ],
  [
    "a condition is true anyway",
    `it("a", () => { expect(f(1) === 2).toBe(true); });`,
    `it("a", () => { expect(f(1) === 2 || true).toBe(true); });`,
  ],
  [
    "a loop goes over nothing",
    `it("a", () => { for (const x of [1, 2]) expect(f(x)).toBe(x + 1); });`,
    `it("a", () => { for (const x of []) expect(f(x)).toBe(x + 1); });`,
  ],
];

const JAVASCRIPT_SAME: Case[] = [
  [
    "a set-up was added",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `beforeEach(() => { g(); });\nit("a", () => { expect(f(1)).toBe(2); });`,
  ],
  [
    "a suite was put around",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `describe("f", () => { it("a", () => { expect(f(1)).toBe(2); }); });`,
  ],
  [
    "a test became async",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", async () => { expect(await f(1)).toBe(2); });`,
  ],
  [
    "values got names",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", () => { const result = f(1); const expected = 2; expect(result).toBe(expected); });`,
  ],
  [
    "an equality became stricter",
    `it("a", () => { expect(f(1)).toEqual({a:1}); });`,
    `it("a", () => { expect(f(1)).toStrictEqual({a:1}); });`,
  ],
  [
    "assertions were added",
    `it("a", () => { expect(f(1)).toBeDefined(); });`,
    `it("a", () => { expect(f(1)).toBeDefined(); expect(f(1)).toBe(2); });`,
  ],
  [
    "an assertion became exact",
    `it("a", () => { expect(f(1)).toBeDefined(); });`,
    `it("a", () => { expect(f(1)).toBe(2); });`,
  ],
  [
    "a test was split",
    `it("a", () => { expect(f(1)).toBe(2); expect(g(5)).toBe(7); });`,
    `it("a", () => { expect(f(1)).toBe(2); });\nit("g", () => { expect(g(5)).toBe(7); });`,
  ],
  [
    "tests were merged",
    `it("a", () => { expect(f(1)).toBe(2); });\nit("b", () => { expect(f(8)).toBe(9); });`,
    `it("a", () => { expect(f(1)).toBe(2); expect(f(8)).toBe(9); });`,
  ],
  [
    "tests became a table",
    `it("a", () => { expect(f(1)).toBe(2); });\nit("b", () => { expect(f(8)).toBe(9); });`,
    `it.each([[1, 2], [8, 9]])("f(%i)", (x, y) => { expect(f(x)).toBe(y); });`,
  ],
  [
    "a test of sameness was added",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", () => { expect(f(1)).toBe(2); });\nit("same", () => { expect(f(3)).toBe(f(3)); });`,
  ],
  [
    "a new test has a timeout of its own",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", () => { expect(f(1)).toBe(2); });\nit("slow", () => { expect(f(3)).toBe(4); }, 30000);`,
  ],
  [
    "something else is mocked",
    `it("a", () => { expect(f(1)).toBe(2); });`,
    `import { h } from "../src/h";\nvi.mock("../src/h");\nit("a", () => { expect(f(1)).toBe(2); });\nit("b", () => { vi.mocked(h).mockReturnValue(3); expect(f(2)).toBe(3); });`,
  ],
  [
    "a test runs again",
    `it.skip("a", () => { expect(f(1)).toBe(2); });`,
    `it("a", () => { expect(f(1)).toBe(2); });`,
  ],
  [
    "a title and a name changed",
    `it("adds", () => { const x = f(1); expect(x).toBe(2); });`,
    `it("adds one", () => { const sum = f(1); expect(sum).toBe(2); });`,
  ],
  ["a test without assertions was added", ``, `it("does not throw", () => { f(1); });`],
  [
    "an assertion that says nothing of its own went",
    `it("a", () => { const r = f(1); expect(r).toBeDefined(); expect(r).toBe(2); });`,
    `it("a", () => { const r = f(1); expect(r).toBe(2); });`,
  ],
  [
    "a chai property stayed",
    `it("a", () => { expect(f(1)).to.be.true; });`,
    `it("a", () => { const r = f(1); expect(r).to.be.true; });`,
  ],
  [
    "an input got a name",
    `it("a", () => { expect(f({a: 1})).toBe(2); });`,
    `const input = { a: 1 };\nit("a", () => { expect(f(input)).toBe(2); });`,
  ],
];

describe("JavaScript", () => {
  const head = `import { test, it, describe, expect, vi } from "vitest";\nimport { f, g } from "../src/f";\n`;
  test.each(JAVASCRIPT_WEAKER)("is weaker where %s", (_, base, now) => {
    expect(kindsOf(readJavascript, "test/f.test.ts", [head + base, head + now])).not.toEqual([]);
  });

  test.each(JAVASCRIPT_SAME)("is as strong where %s", (_, base, now) => {
    expect(kindsOf(readJavascript, "test/f.test.ts", [head + base, head + now])).toEqual([]);
  });
});
