import { findAnswers, findKeys } from "../answers.ts";
import { countChecks } from "../condition.ts";
import { readPythonExamples } from "../examples.ts";
import { markLines } from "../line-rules.ts";
import type { Mark, SourceModel } from "../source-model.ts";
import { isTestFile } from "../test-files.ts";
import { lex, literalsOf, textOf } from "../tokens.ts";
import { callsIn, readAssertion } from "./assertions.ts";
import { readTests } from "./find-tests.ts";
import { blockAfter, first, isDef, nameAt, readStatements, type Statement } from "./statements.ts";

const readAny = (statements: readonly Statement[]): Mark[] =>
  statements
    .filter((statement) => !/^(?:from|import)\b/.test(first(statement)))
    .flatMap(({ tokens }) =>
      tokens
        .filter(({ kind, text }, at) => kind === "word" && text === "Any" && tokens[at - 1]?.text !== ".")
        .map(({ line }): Mark => ({ kind: "any-added", line, text: "Any", message: "explicit Any" })),
    );

export const readPython = (file: string, text: string): SourceModel => {
  const tokens = lex(text, "python");
  const statements = readStatements(tokens);
  const isTest = isTestFile(file, "python", text);
  const defined = new Map<string, number>();
  const imported = new Map<string, string[]>();
  const mocked: SourceModel["mocked"] = [];
  for (const [index, statement] of statements.entries()) {
    const body = isDef(statement) ? blockAfter(statements, index) : [];
    const checks = body.flatMap((each) => readAssertion(each, new Map()));
    const calls = body.flatMap((each) => callsIn(each.tokens));
    if (isDef(statement)) defined.set(nameAt(statement), countChecks(checks, calls));
    const words = textOf(statement.tokens);
    const assigned = /^(\w+) = lambda\b/.exec(words)?.[1];
    if (assigned !== undefined) defined.set(assigned, 0);
    const from = /^from ([\w. ]+) import (.+)$/.exec(words);
    const names = (from?.[2] ?? "")
      .replaceAll(/[()]/g, "")
      .split(",")
      .map((name) => name.trim().split(" as ").at(-1)?.trim() ?? "");
    if (from)
      imported.set(
        (from[1] ?? "").replaceAll(" ", ""),
        names.filter((name) => name !== ""),
      );
    const patched = /(?:patch|patch \. object|setattr) \( (?:"([\w.]+)"|([\w. ]+) , "(\w+)")/.exec(words);
    if (patched)
      mocked.push({
        target: patched[1] ?? `${(patched[2] ?? "").replaceAll(" ", "")}.${patched[3]}`,
        line: statement.line,
      });
    const replaced = /^(\w+(?: \. \w+)+) = (?:lambda|Mock|MagicMock|mock \.)/.exec(words);
    if (replaced) mocked.push({ target: (replaced[1] ?? "").replaceAll(" ", ""), line: statement.line });
  }
  return {
    language: "Python",
    isTest,
    tests: isTest ? readTests(statements) : [],
    marks: [...markLines(tokens, { language: "python", file, isTest }), ...readAny(statements)],
    defined,
    imported,
    mocked: isTest ? mocked : [],
    literals: literalsOf(tokens),
    answers: isTest ? [] : findAnswers(tokens),
    keys: isTest ? [] : findKeys(tokens),
    examples: readPythonExamples(text),
  };
};
