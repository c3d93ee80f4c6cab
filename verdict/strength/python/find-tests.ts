import { splitAt, type TokenOrigins } from "../condition.ts";
import type { TestCase } from "../source-model.ts";
import { literalsOf, type Token, textOf } from "../tokens.ts";
import { callsIn, readAssertion, readOrigins } from "./assertions.ts";
import {
  blockAfter,
  decoratorsOf,
  findSwallowed,
  first,
  isDef,
  nameAt,
  type Statement,
} from "./statements.ts";

const OFF = /(?:mark \. |unittest \. |^@ )(?:skip|skipif|xfail|skipIf|skipUnless|expectedFailure)\b/;
const INNER_OFF =
  /^(?:pytest \. |self \. )?(?:skip|skipTest|xfail|importorskip|SkipTest) \(|^raise (?:unittest \. )?SkipTest|^unittest \. skip/;

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
  outer: { off: string | undefined; origins: TokenOrigins },
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
  const origins = new Map([...outer.origins, ...readOrigins(body)]);
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
      outer.off ??
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
  const condition = splitAt(tokens.slice(1), ({ text }) => text === ",")[0] ?? [];
  return textOf(condition) === "False" ? [] : literalsOf(condition);
};

export const readTests = (statements: readonly Statement[]): TestCase[] => {
  const fileOff = statements.find(
    ({ column, tokens }) =>
      column === 0 &&
      /^pytestmark = .*mark \. (?:skip|xfail)|^pytest \. skip \(|^raise (?:unittest \. )?SkipTest/.test(
        textOf(tokens),
      ),
  );
  const origins = readOrigins(statements.filter(({ column }) => column === 0));
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
      if (isInDef || !isCollected || !nameAt(statement).startsWith("test")) continue;
      const off =
        classes.find((each) => each.off !== undefined)?.off ??
        (fileOff ? first(fileOff, 7).replaceAll(" ", "") : undefined);
      const test = readTest(statements, index, { off, origins });
      if (test) tests.push({ ...test, name: [...classes.map(({ name }) => name), test.name].join(".") });
    }
  }
  return tests;
};
