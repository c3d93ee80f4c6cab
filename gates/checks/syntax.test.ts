import { expect, test } from "vitest";
import { readSourceFacts } from "./syntax.ts";

const logLines = (text: string, file = "a.ts") =>
  readSourceFacts(file, text).consoleLog.map(({ line }) => line);

test("a console of one's own is not the global one", () => {
  expect(logLines("export function f(console: Log) {\n  console.log(1);\n}\nconsole.log(2);\n")).toEqual([4]);
  expect(logLines("import { console } from './log';\nconsole.log(1);\n")).toEqual([]);
  expect(logLines("{\n  const { log: [console = x] } = y;\n  console.log(1);\n}\nconsole.log(2);\n")).toEqual(
    [5],
  );
  expect(logLines("try { f() } catch (console) {\n  console.log(1);\n}\nconsole.log(2);\n")).toEqual([4]);
  expect(logLines("const f = (...console) => console.log(1);\nf();\n")).toEqual([]);
  expect(logLines("const other = console;\nconsole.log(1); console?.['log'](2);\n")).toEqual([2, 2]);
});

test("JSX in a .js file is read like any other source", () => {
  const facts = readSourceFacts("a.js", "const a = <b>TODO{/* TODO: x */}</b>;\nconsole.log(a);\n");
  expect(facts.todo).toMatchObject([{ line: 1, message: "TODO: x" }]);
  expect(facts.consoleLog).toMatchObject([{ line: 2 }]);
});

test("a source that cannot be parsed is no pass", () => {
  const { any } = readSourceFacts("a.ts", "const fine = 1;\nexport const a: any = ;\n");
  expect(any).toMatchObject([
    { file: "a.ts", line: 2, message: expect.stringContaining("cannot be parsed") },
  ]);
});
