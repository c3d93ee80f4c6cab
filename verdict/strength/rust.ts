import { findAnswers, findKeys } from "./answers.ts";
import {
  type BraceFunction,
  findFunctions,
  findUnreached,
  literalsBeside,
  readTest as readPlainTest,
  startOf,
} from "./braces.ts";
import {
  argumentsAt,
  callsIn,
  countChecks,
  type Held,
  holdCondition,
  holdEqual,
  literalsWith,
  type TokenOrigins,
} from "./condition.ts";
import { readRustExamples } from "./examples.ts";
import { markLines } from "./line-rules.ts";
import type { Assertion, SourceModel, TestCase } from "./source-model.ts";
import { closingOf, lex, literalsOf, type Token, textOf } from "./tokens.ts";
import { isTestFile } from "./test-files.ts";

const readOrigins = (body: readonly Token[]): TokenOrigins => {
  const origins = new Map<string, Token[]>();
  for (const [at, token] of body.entries()) {
    const name = body[at + 1];
    if (token.text !== "let" || name?.kind !== "word" || name.text === "mut") continue;
    const equals = body.findIndex(
      (each, index) => index > at && each.text === "=" && each.depth === token.depth,
    );
    const end = body.findIndex(
      (each, index) => index > equals && each.text === ";" && each.depth === token.depth,
    );
    if (equals > 0 && end > equals) origins.set(name.text, body.slice(equals + 1, end));
  }
  return origins;
};

const hold = (name: string, args: Token[][], origins: TokenOrigins): Held | undefined => {
  const [left = [], right = []] = args;
  if (/^(?:prop_|debug_)?assert_eq$|^assert_(?:json_eq|str_eq)$/.test(name))
    return holdEqual(left, right, origins);
  if (/^(?:prop_|debug_)?assert_ne$/.test(name)) return { strength: 1 };
  if (/^(?:prop_|debug_)?assert$/.test(name)) {
    const held = holdCondition(left, origins);
    const asks = textOf(left);
    if (asks.startsWith("! ") && held.strength === 1) return { strength: 2 };
    if (asks.startsWith("matches !") && !asks.endsWith(" , _ )")) return { strength: 3 };
    return asks.endsWith(" , _ )") ? { strength: 0, isConstant: true, problem: "matches everything" } : held;
  }
  if (/^assert_\w*snapshot$|^expect_test$/.test(name)) return { strength: 3 };
  if (/^assert_\w+$/.test(name)) return { strength: 2 };
  return /^(?:panic|unreachable)$/.test(name) ? { strength: 2 } : undefined;
};

const readAssertions = (body: readonly Token[]): Assertion[] => {
  const origins = readOrigins(body);
  const unreached = findUnreached(body);
  return body.flatMap((token, at) => {
    if (token.kind !== "word" || body[at + 1]?.text !== "!" || !/^[([{]$/.test(body[at + 2]?.text ?? ""))
      return [];
    const args = argumentsAt(body, at + 2);
    const held = hold(token.text, args, origins);
    if (!held) return [];
    const about = args.slice(0, /eq|ne|snapshot/.test(token.text) ? 2 : 1).flat();
    return [
      {
        ...held,
        line: token.line,
        text: textOf([token, ...about]),
        literals: literalsWith(about, origins),
        isSwallowed: unreached.has(token),
      },
    ];
  });
};

/** Messages of assertions may be worded otherwise. */
const literalsBesideMessages = (body: readonly Token[]): string[] =>
  literalsBeside(body, ({ text }, at) =>
    text.startsWith("assert") && body[at + 1]?.text === "!"
      ? argumentsAt(body, at + 2)
          .slice(/eq|ne/.test(text) ? 2 : 1)
          .flat()
      : [],
  );

const TEST = /# \[ (?:\w+ :: )*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test)\b(?! _)/;
const OFF =
  /# \[ (ignore\b|cfg \( (?:any \( \)|feature|not|FALSE|never)|cfg_attr \( [^\]]*ignore|should_panic)/;

type Module = { name: string; before: string; from: number; to: number };

/** The modules of a file, as `cargo test` names them. */
const findModules = (tokens: readonly Token[]): Module[] =>
  tokens.flatMap((token, at) => {
    if (token.text !== "mod" || tokens[at + 2]?.text !== "{") return [];
    const before = textOf(tokens.slice(startOf(tokens, at, token.depth), at));
    return [{ name: tokens[at + 1]?.text ?? "", before, from: at, to: closingOf(tokens, at + 2) }];
  });

const readTest = (found: BraceFunction, all: readonly Module[]): TestCase => {
  const before = textOf(found.before);
  const modules = all.filter(({ from, to }) => from < found.at && found.at < to);
  const off = [before, ...modules.map((each) => each.before)]
    .map((text) => OFF.exec(text)?.[1])
    .find((how) => how !== undefined);
  return {
    ...readPlainTest(found),
    name: [...modules.map(({ name }) => name), found.name].join("::"),
    assertions: readAssertions(found.body),
    literals: [...literalsBesideMessages(found.body), ...literalsOf(found.before)],
    ...(off ? { off: `#[${off.replaceAll(" ", "")}]` } : {}),
  };
};

export const readRust = (file: string, text: string): SourceModel => {
  const all = lex(text, "rust");
  const tokens = all.filter(({ kind }) => kind !== "comment");
  const isTest = isTestFile(file, "rust", "");
  const functions = findFunctions(tokens, "fn");
  const modules = findModules(tokens);
  const tests = functions
    .filter(({ before }) => TEST.test(textOf(before)))
    .map((found) => readTest(found, modules));
  // Tests stand at the end of the file that they test, in a module of their own.
  const inTests = tokens.findIndex(
    (token, at) =>
      token.text === "cfg" &&
      textOf(tokens.slice(at, at + 4)) === "cfg ( test )" &&
      tokens.slice(at, at + 8).some((each) => each.text === "mod"),
  );
  const code = isTest ? [] : tokens.slice(0, inTests < 0 ? tokens.length : inTests - 2);
  const own = isTest || inTests < 0 ? functions : functions.filter(({ at }) => at > inTests);
  const defined = new Map(
    own
      .filter(({ before }) => !TEST.test(textOf(before)))
      .map(({ name, body }) => [name, countChecks(readAssertions(body), callsIn(body))]),
  );
  const comments = all.filter(({ kind }) => kind === "comment");
  const marks = [
    ...markLines(isTest ? [] : [...code, ...comments], { language: "rust", file, isTest: false }),
    ...markLines(isTest ? all : tokens.slice(code.length), { language: "rust", file, isTest: true }),
  ];
  return {
    language: "Rust",
    isTest: isTest || tests.length > 0,
    tests,
    marks,
    defined,
    imported: new Map(),
    mocked: [],
    literals: literalsOf(isTest || inTests < 0 ? tokens : tokens.slice(code.length)),
    answers: findAnswers(code),
    keys: findKeys(code),
    examples: readRustExamples(text),
  };
};
