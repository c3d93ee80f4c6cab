import { findAnswers, findKeys } from "./answers.ts";
import { findFunctions, findUnreached, literalsBeside, readTest } from "./braces.ts";
import {
  argumentsAt,
  countChecks,
  type Held,
  holdCondition,
  holdEqual,
  literalsWith,
  type TokenOrigins,
} from "./condition.ts";
import { markLines } from "./line-rules.ts";
import type { Assertion, SourceModel, TestCase } from "./source-model.ts";
import { isTestFile } from "./test-files.ts";
import { closingOf, lex, literalsOf, type Token, textOf } from "./tokens.ts";

const REPORTS = /^(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/;
const EXACT =
  /^(?:Equal|EqualValues|Exactly|JSONEq|YAMLEq|Len|Nil|Empty|Zero|EqualError|ErrorIs|Same|ElementsMatch|Equalf|PanicsWithError|PanicsWithValue|DeepEqual)f?$/;
const EXISTS =
  /^(?:NotNil|NotEmpty|NoError|Error|NotEqual|NotZero|NotPanics|True|False|Implements|IsType|NotContains)f?$/;

/** What is held where a test reports: the opposite of the condition it stands under. */
const holdReport = (condition: readonly Token[], origins: TokenOrigins): Held => {
  if (condition.length === 0) return { strength: 2 };
  // `if got := f(); got != want`
  const semicolon = condition.findLastIndex(({ text }) => text === ";");
  const asked = condition.slice(semicolon + 1);
  const text = textOf(asked);
  if (/^(?:false|! true)$/.test(text) || /&& false\b|\bfalse &&/.test(text))
    return { strength: 0, isConstant: true, problem: "is never reported" };
  const at = asked.findIndex((token) => token.text === "!=");
  if (at >= 0) {
    const isError = /^(?:err|ok) != nil$/.test(text);
    return isError ? { strength: 1 } : holdEqual(asked.slice(0, at), asked.slice(at + 1), origins);
  }
  if (/DeepEqual|Equal \(|cmp \. Diff/.test(text)) return { strength: 3 };
  if (asked.some((token) => token.text === "==")) return { strength: 1 };
  return { strength: asked[0]?.text === "!" || /[<>]/.test(text) ? 2 : 1 };
};

const conditionAround = (body: readonly Token[], at: number): Token[] => {
  const depth = body[at]?.depth ?? 0;
  const open = body.findLastIndex((token, index) => index < at && token.text === "{" && token.depth < depth);
  const start = body.findLastIndex(
    (token, index) => index < open && token.text === "if" && token.depth === body[open]?.depth,
  );
  return open < 0 || start < 0 ? [] : body.slice(start + 1, open);
};

const readOrigins = (body: readonly Token[]): TokenOrigins => {
  const origins = new Map<string, Token[]>();
  for (const [at, token] of body.entries()) {
    if (token.kind !== "word" || body[at + 1]?.text !== ":=" || body[at - 1]?.text === ",") continue;
    const line = body[at + 1]?.line;
    const end = body.findIndex(
      (each, index) => index > at + 1 && (each.line !== line || each.text === ";" || each.text === "{"),
    );
    origins.set(token.text, body.slice(at + 2, end < 0 ? body.length : end));
  }
  return origins;
};

const readAssertions = (body: readonly Token[]): Assertion[] => {
  const origins = readOrigins(body);
  const unreached = findUnreached(body);
  const found: Assertion[] = [];
  for (const [at, token] of body.entries()) {
    const owner = body[at - 2]?.text ?? "";
    if (token.kind !== "word" || body[at - 1]?.text !== "." || body[at + 1]?.text !== "(") continue;
    const args = argumentsAt(body, at + 1);
    const add = (held: Held, about: readonly Token[]): void => {
      const isSwallowed = unreached.has(token);
      found.push({
        ...held,
        line: token.line,
        text: textOf([...about, token]),
        literals: literalsWith(about, origins),
        isSwallowed,
      });
    };
    if (/^(?:t|tb|b|tt|T)$/.test(owner) && REPORTS.test(token.text)) {
      const condition = conditionAround(body, at);
      add(holdReport(condition, origins), condition);
    } else if (/^(?:assert|require|is|check|suite|s|td|qt)$/.test(owner) && /^[A-Z]/.test(token.text)) {
      const own = args.filter((arg) => textOf(arg) !== "t");
      const [left = [], right = []] = own;
      const about = own.slice(0, 2).flat();
      if (/^Truef?$/.test(token.text)) add(holdCondition(left, origins), left);
      else if (/^Equal|^Exactly|^Same/.test(token.text)) add(holdEqual(left, right, origins), about);
      else add({ strength: EXACT.test(token.text) ? 3 : EXISTS.test(token.text) ? 1 : 2 }, about);
    }
  }
  return found;
};

/** Reports and their formats may be worded otherwise. */
const literalsBesideReports = (body: readonly Token[]): string[] =>
  literalsBeside(body, ({ text }, at) =>
    /^(?:Errorf?|Fatalf?|Logf?|Skipf?)$/.test(text) &&
    body[at - 2]?.text === "t" &&
    body[at + 1]?.text === "("
      ? body.slice(at + 1, closingOf(body, at + 1))
      : [],
  );

const findOff = (body: readonly Token[]): Token | undefined =>
  body.find(
    (token, at) =>
      /^(?:Skip|Skipf|SkipNow)$/.test(token.text) && /^(?:t|tb|s|suite)$/.test(body[at - 2]?.text ?? ""),
  );

export const readGo = (file: string, text: string): SourceModel => {
  const all = lex(text, "go");
  const tokens = all.filter(({ kind }) => kind !== "comment");
  const isTest = isTestFile(file, "go", text);
  const tests: TestCase[] = [];
  const defined = new Map<string, number>();
  for (const found of findFunctions(tokens, "func")) {
    const { name, body } = found;
    const test = { ...readTest(found), assertions: readAssertions(body) };
    defined.set(name, countChecks(test.assertions, test.calls));
    const isCalled = /testing \. [TFB]\b/.test(textOf(found.params)) || name.startsWith("Test");
    if (!isTest || !isCalled || !/^(?:Test|Fuzz|Example)(?![a-z])/.test(name) || name === "TestMain")
      continue;
    const off = findOff(body);
    tests.push({
      ...test,
      literals: literalsBesideReports(body),
      ...(off ? { off: `t.${off.text}()`, offLine: off.line } : {}),
    });
  }
  // `add := func(…)` in a test hides the function of the package.
  if (isTest)
    for (const [at, token] of tokens.entries())
      if (
        token.kind === "word" &&
        /^(?::=|=)$/.test(tokens[at + 1]?.text ?? "") &&
        tokens[at + 2]?.text === "func" &&
        tokens[at - 1]?.text !== "."
      )
        defined.set(token.text, defined.get(token.text) ?? 0);
  return {
    language: "Go",
    isTest,
    tests,
    marks: markLines(all, { language: "go", file, isTest }),
    defined,
    imported: new Map(),
    mocked: [],
    literals: literalsOf(tokens),
    answers: isTest ? [] : findAnswers(tokens),
    keys: isTest ? [] : findKeys(tokens),
  };
};
