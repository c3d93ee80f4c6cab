import { expect, test } from "vitest";
import { readSourceFacts } from "./source-facts.ts";

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

test("console.log is found by whatever plain name it goes by", () => {
  const lines = [
    "globalThis.console.log(1);",
    "window.console['log'](1);",
    "console[`log`](1);",
    "(console as Console).log(1); console!.log(2);",
    "(console?.log)?.(1);",
    "console.log.call(console, 1);",
    "promise.then(console.log);",
    "setTimeout(console.log, 10);",
    "const { log, warn } = console; log(1); warn(2);",
    "const { console: { log: deep } } = globalThis; deep(1);",
    "const print = console.log.bind(console); print(1);",
    "const out = console; out.log(1);",
    "require('node:console').log(1);",
  ];
  expect(logLines(lines.join("\n"))).toEqual([1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  expect(logLines("import out, { log } from 'node:console';\nout.log(1);\nlog(2);\n")).toEqual([2, 3]);
  expect(logLines("declare const console: Console;\nconsole.log(1);\n")).toEqual([2]);
});

test("what only looks like console.log is none", () => {
  const lines = [
    "const saved = console.log; console.log = fake; console.log = saved;",
    "expect(console.log).toHaveBeenCalled(); vi.spyOn(console, 'log');",
    "console[log](1); my.console.log(1); console.log.name; typeof console.log;",
    "function f(window: W) { window.console.log(1); }",
    "function g() { const { log } = logger; log(1); } log(2);",
    "let say = console.log; say = quiet; say(1);",
    "const h = ({ log }: { log: Log }) => log(1);",
    "{ function console() {} console.log(1); } { class console {} console.log(1); }",
    "const { log: late = console.log } = options; late(1);",
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
