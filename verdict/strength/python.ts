import { findAnswers } from "./answers.ts";
import { argumentsAt, type Held, holdCondition, holdEqual, splitAt, type TokenOrigins } from "./condition.ts";
import { markLines } from "./line-rules.ts";
import {
  type Assertion,
  CHECKS_BY_NAME,
  type Mark,
  type SourceModel,
  type TestCase,
} from "./source-model.ts";
import { isTestFile } from "./test-files.ts";
import { isLiteral, lex, literalOf, type Token, textOf } from "./tokens.ts";

/** A logical line. */
type Statement = { column: number; tokens: Token[]; line: number };

const readStatements = (tokens: readonly Token[]): Statement[] => {
  const statements: Statement[] = [];
  let last: Token | undefined;
  for (const token of tokens) {
    if (token.kind === "comment") continue;
    const endLine = last ? last.line + (last.text.match(/\n/g)?.length ?? 0) : 0;
    const isJoined = last?.text === "\\" || token.depth > 0 || /^[)\]}]$/.test(token.text);
    if (last === undefined || (token.line > endLine && !isJoined))
      statements.push({ column: token.column, tokens: [token], line: token.line });
    else statements.at(-1)?.tokens.push(token);
    last = token;
  }
  return statements;
};

const blockAfter = (statements: readonly Statement[], index: number): Statement[] => {
  const column = statements[index]?.column ?? 0;
  const rest = statements.slice(index + 1);
  const end = rest.findIndex((each) => each.column <= column);
  return end < 0 ? rest : rest.slice(0, end);
};

const decoratorsOf = (statements: readonly Statement[], index: number): Statement[] => {
  const own = statements[index];
  let from = index;
  while (statements[from - 1]?.tokens[0]?.text === "@" && statements[from - 1]?.column === own?.column)
    from--;
  return statements.slice(from, index);
};

const first = (statement: Statement | undefined, count = 2): string =>
  textOf(statement?.tokens.slice(0, count) ?? []);

const nameAt = (statement: Statement): string =>
  statement.tokens[statement.tokens[0]?.text === "async" ? 2 : 1]?.text ?? "";

const isDef = (statement: Statement): boolean => /^(?:def|async def)\b/.test(first(statement));

const OFF = /(?:mark \. |unittest \. |^@ )(?:skip|skipif|xfail|skipIf|skipUnless|expectedFailure)\b/;
const INNER_OFF =
  /^(?:pytest \. |self \. )?(?:skip|skipTest|xfail|importorskip|SkipTest) \(|^raise (?:unittest \. )?SkipTest|^unittest \. skip/;

const EXACT =
  /^assert(?:Equal|Equals|Is|IsNone|True|False|DictEqual|ListEqual|SetEqual|TupleEqual|MultiLineEqual|SequenceEqual|CountEqual|RaisesRegex)$/;
const WEAK = /^assert(?:IsNotNone|IsNot|NotEqual|NotEquals|NotIn|IsInstance|NotIsInstance)$/;

const holdMethod = (name: string, args: Token[][], origins: TokenOrigins): Held => {
  const [left = [], right] = args;
  if (name === "assertTrue" || name === "assertFalse") {
    const held = holdCondition(left, origins);
    const isIdle =
      held.isConstant === true || (name === "assertFalse" && /^(?:False|None|0)$/.test(textOf(left)));
    return isIdle
      ? { strength: 0, isConstant: true, problem: "is always true" }
      : held.strength === 1
        ? { strength: 2 }
        : held;
  }
  if (right && EXACT.test(name) && name !== "assertRaisesRegex") return holdEqual(left, right, origins);
  if (WEAK.test(name)) return { strength: 1 };
  return { strength: EXACT.test(name) ? 3 : 2 };
};

const literalsOf = (tokens: readonly Token[]): string[] => tokens.filter(isLiteral).map(literalOf);

/** A literal and what a name of the test was made of. */
const withOrigins = (tokens: readonly Token[], origins: TokenOrigins): string[] =>
  tokens.flatMap((token) =>
    isLiteral(token)
      ? [literalOf(token)]
      : literalsOf(token.kind === "word" ? (origins.get(token.text) ?? []) : []),
  );

const readAssertion = ({ tokens, line }: Statement, origins: TokenOrigins): Assertion[] => {
  const text = textOf(tokens);
  const found: Assertion[] = [];
  const add = (held: Held, literals: Token[]): void => {
    found.push({ ...held, line, text, literals: withOrigins(literals, origins) });
  };
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (
      token.text === "assert" &&
      token.kind === "word" &&
      (index === 0 || tokens[index - 1]?.text === ":")
    ) {
      const [condition = []] = splitAt(tokens.slice(index + 1), ({ text: own }) => own === ",");
      add(holdCondition(condition, origins), condition);
    } else if (token.kind === "word" && next?.text === "(") {
      const args = argumentsAt(tokens, index + 1);
      const isOf = (...owners: string[]): boolean =>
        tokens[index - 1]?.text === "." && owners.includes(tokens[index - 2]?.text ?? "");
      if (/^assert[A-Z]/.test(token.text) && isOf("self", "cls"))
        add(holdMethod(token.text, args, origins), args.slice(0, 2).flat());
      else if (/^(?:raises|warns|assertRaises)$/.test(token.text) && isOf("pytest", "self"))
        add({ strength: /^(?:Base)?Exception$/.test(textOf(args[0] ?? [])) ? 1 : 3 }, args.flat());
      else if (token.text === "fail" && isOf("pytest", "self")) add({ strength: 2 }, []);
      else if (/^assert_/.test(token.text) && tokens[index - 1]?.text === ".")
        add({ strength: 3 }, args.flat());
    }
  }
  return found;
};

/** Names with one plain origin; what is handed to others alone may be changed by them. */
const readOrigins = (statements: readonly Statement[]): TokenOrigins => {
  const origins = new Map<string, Token[]>();
  const twice = new Set<string>();
  for (const { tokens } of statements) {
    const [name, equals] = tokens;
    if (name?.kind !== "word" || equals?.text !== "=" || tokens.length > 40) continue;
    if (origins.has(name.text)) twice.add(name.text);
    const value = tokens.slice(2);
    if (!/^[[{]/.test(value[0]?.text ?? "")) origins.set(name.text, value);
  }
  for (const name of twice) origins.delete(name);
  return origins;
};

/** Statements whose failure goes nowhere: caught and forgotten, behind a `return`, under `if False`. */
const findSwallowed = (body: readonly Statement[]): Set<Statement> => {
  const swallowed = new Set<Statement>();
  const add = (statements: readonly Statement[]): void => statements.forEach((each) => swallowed.add(each));
  for (const [index, statement] of body.entries()) {
    const text = textOf(statement.tokens);
    if (/^(?:if (?:False|0|None)|while (?:False|0)) :|^for \w+ in (?:\[ \]|\( \)) :/.test(text)) {
      add(blockAfter(body, index));
      swallowed.add(statement);
    }
    if (/^with (?:contextlib \. )?suppress \( (?:AssertionError|Exception|BaseException)/.test(text))
      add(blockAfter(body, index));
    if (/^return\b/.test(text)) {
      const rest = body.slice(index + 1);
      const end = rest.findIndex(({ column }) => column < statement.column);
      add(end < 0 ? rest : rest.slice(0, end));
    }
    if (text !== "try :") continue;
    const tried = blockAfter(body, index);
    const handlers = body.slice(index + 1 + tried.length).filter(({ column }) => column >= statement.column);
    const catches = handlers.findIndex(({ tokens }) =>
      /^except(?: :| \(? ?(?:AssertionError|Exception|BaseException)\b)/.test(textOf(tokens)),
    );
    if (catches < 0) continue;
    const handler = [...blockAfter(handlers, catches), ...(handlers[catches] ? [handlers[catches]] : [])];
    if (!handler.some(({ tokens }) => /\b(?:raise|assert\w*|fail)\b/.test(textOf(tokens)))) add(tried);
  }
  return swallowed;
};

const callsIn = (tokens: readonly Token[]): string[] =>
  tokens.flatMap(({ kind, text }, index) => {
    const isMethod = /^assert/.test(text) && tokens[index - 1]?.text === ".";
    return kind === "word" && tokens[index + 1]?.text === "(" && !isMethod ? [text] : [];
  });

const limitIn = (tokens: readonly Token[], pattern: RegExp): number | undefined => {
  const found = tokens.flatMap((token, index) => {
    const value = tokens[index + 2];
    return pattern.test(token.text) && value?.kind === "number" ? [Number(value.text)] : [];
  });
  return found.length > 0 ? Math.max(...found) : undefined;
};

const readTest = (
  statements: readonly Statement[],
  index: number,
  outerOff: string | undefined,
): TestCase | undefined => {
  const own = statements[index];
  if (!own) return undefined;
  const inline = own.tokens.slice(
    own.tokens.findLastIndex(({ text, depth }) => text === ":" && depth === 0) + 1,
  );
  const block = blockAfter(statements, index);
  const body = inline.length > 0 ? [{ ...own, tokens: inline }, ...block] : block;
  const decorators = decoratorsOf(statements, index);
  const decoratorOff = decorators.find(({ tokens }) => OFF.test(textOf(tokens)));
  const innerOff = body.find(({ tokens }) => INNER_OFF.test(textOf(tokens)));
  const early = body.findIndex(({ tokens }) => /^return\b/.test(textOf(tokens)));
  const firstCheck = body.findIndex(({ tokens }) => /\bassert|raises/.test(textOf(tokens)));
  const isEarly = early >= 0 && firstCheck > early;
  const swallowed = findSwallowed(body);
  const origins = readOrigins(body);
  const tokens = [...decorators, ...body].flatMap((each) => each.tokens);
  const timeoutMs = limitIn(tokens, /^timeout$/);
  const retries = limitIn(tokens, /^(?:reruns|flaky|max_runs|retries)$/);
  const isLimit = (at: number): boolean =>
    /^(?:timeout|reruns|retries|max_runs)$/.test(tokens[at - 2]?.text ?? "");
  return {
    name: nameAt(own),
    line: own.line,
    body: body.map((each) => textOf(each.tokens)).join(" ; "),
    assertions: body.flatMap((each) =>
      readAssertion(each, origins).map((found) => ({ ...found, isSwallowed: swallowed.has(each) })),
    ),
    literals: body
      .concat(decorators)
      .flatMap(literalsBesideMessages)
      .filter((_, at) => !isLimit(at)),
    calls: callsIn(tokens),
    off:
      outerOff ??
      (decoratorOff
        ? textOf(decoratorOff.tokens).replaceAll(" ", "").slice(0, 60)
        : innerOff
          ? first(innerOff, 4).replaceAll(" ", "")
          : isEarly
            ? "it returns before it checks anything"
            : undefined),
    offLine: (decoratorOff ?? innerOff ?? own).line,
    ...(timeoutMs === undefined ? {} : { timeoutMs: timeoutMs * 1000 }),
    ...(retries === undefined ? {} : { retries }),
  };
};

/** The message of an `assert` may be said otherwise; a docstring, too. */
const literalsBesideMessages = ({ tokens }: Statement): string[] => {
  if (tokens.length === 1 && tokens[0]?.kind === "string") return [];
  if (tokens[0]?.text !== "assert") return literalsOf(tokens);
  return literalsOf(splitAt(tokens.slice(1), ({ text }) => text === ",")[0] ?? []);
};

const readTests = (statements: readonly Statement[]): TestCase[] => {
  const fileOff = statements.find(
    ({ column, tokens }) =>
      column === 0 &&
      /^pytestmark = .*mark \. (?:skip|xfail)|^pytest \. skip \(|^raise (?:unittest \. )?SkipTest/.test(
        textOf(tokens),
      ),
  );
  const tests: TestCase[] = [];
  const open: { column: number; name: string; off: string | undefined }[] = [];
  for (const [index, statement] of statements.entries()) {
    while (open.length > 0 && (open.at(-1)?.column ?? 0) >= statement.column) open.pop();
    if (/^class\b/.test(first(statement))) {
      const marked = decoratorsOf(statements, index).find(({ tokens }) => OFF.test(textOf(tokens)));
      const off = marked ? first(marked, 8).replaceAll(" ", "") : undefined;
      open.push({ column: statement.column, name: nameAt(statement), off });
    } else if (isDef(statement)) {
      const isInDef = open.some(({ name }) => name.startsWith("def "));
      const classes = open.filter(({ name }) => !name.startsWith("def "));
      const isCollected = classes.every(({ name }) => /^Test|Tests?$|TestCase$|Spec$/.test(name));
      open.push({ column: statement.column, name: `def ${nameAt(statement)}`, off: undefined });
      if (isInDef || !isCollected || !/^test/.test(nameAt(statement))) continue;
      const off =
        classes.find((each) => each.off !== undefined)?.off ??
        (fileOff ? first(fileOff, 7).replaceAll(" ", "") : undefined);
      const test = readTest(statements, index, off);
      if (test) tests.push({ ...test, name: [...classes.map(({ name }) => name), test.name].join(".") });
    }
  }
  return tests;
};

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
    const byName = body.flatMap((each) => callsIn(each.tokens)).filter((name) => CHECKS_BY_NAME.test(name));
    const checks = body
      .flatMap((each) => readAssertion(each, new Map()))
      .filter(({ strength }) => strength > 0);
    if (isDef(statement)) defined.set(nameAt(statement), checks.length + byName.length);
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
  };
};
