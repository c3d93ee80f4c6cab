import { expect, test } from "vitest";
import { readSourceFacts } from "./source-facts.ts";

const logLines = (text: string, file = "a.ts") =>
  readSourceFacts(file, text).consoleLog.map(({ line }) => line);

test("a console that the source imports is not the global one", () => {
  expect(logLines("import { console } from './log';\nconsole.log(1);\n")).toEqual([]);
  expect(logLines("import console from 'node:console';\nconsole.log(1);\n")).toEqual([2]);
});

test("console.log is found however its name is written", () => {
  const lines = [
    "globalThis.console.log(1);",
    "window.console['log'](1);",
    "console[`log`](1);",
    "(console as Console).log(1); console!.log(2);",
    "(console?.log)?.(1);",
    "promise.then(console.log);",
  ];
  expect(logLines(lines.join("\n"))).toEqual([1, 2, 3, 4, 4, 5, 6]);
});

test("what only looks like console.log is none", () => {
  const lines = [
    "const saved = console.log; console.log = fake; console.log = saved;",
    "expect(console.log).toHaveBeenCalled(); vi.spyOn(console, 'log');",
    "console[log](1); my.console.log(1); console.log.name; typeof console.log;",
    "function g() { const { log } = logger; log(1); } log(2);",
  ];
  expect(logLines(lines.join("\n"))).toEqual([]);
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
