import { type Assertion, CHECKS_BY_NAME } from "./source-model.ts";
import { closingOf, isLiteral, literalOf, literalsOf, type Token, textOf } from "./tokens.ts";

export type Held = Pick<Assertion, "strength" | "problem" | "isConstant">;
export type TokenOrigins = ReadonlyMap<string, readonly Token[]>;

const WORDS = new Set(["not", "and", "or", "is", "in", "int", "str", "len", "bool"]);
const STRONGER: Held = { strength: 3 };

const topDepth = (tokens: readonly Token[]): number => Math.min(...tokens.map(({ depth }) => depth));

/** Brackets around the whole are taken off. */
const bare = (tokens: readonly Token[]): readonly Token[] => {
  const [first] = tokens;
  const last = tokens.at(-1);
  const isWhole =
    first?.text === "(" &&
    last?.text === ")" &&
    first.depth === last.depth &&
    tokens.slice(1, -1).every(({ depth }) => depth > first.depth);
  return isWhole ? bare(tokens.slice(1, -1)) : tokens;
};

export const splitAt = (tokens: readonly Token[], isSplit: (token: Token) => boolean): Token[][] => {
  const top = topDepth(tokens);
  const parts: Token[][] = [[]];
  for (const token of tokens)
    if (token.depth === top && isSplit(token)) parts.push([]);
    else parts.at(-1)?.push(token);
  return parts;
};

const isText =
  (...texts: string[]): ((token: Token) => boolean) =>
  (token) =>
    texts.includes(token.text);

const isConstantTokens = (tokens: readonly Token[], origins: TokenOrigins): boolean =>
  tokens.length > 0 &&
  tokens.every((token, index) => {
    if (token.kind !== "word" || isLiteral(token) || WORDS.has(token.text)) return true;
    const origin = origins.get(token.text);
    const isPlain =
      tokens[index + 1]?.text !== "(" && tokens[index + 1]?.text !== "." && tokens[index - 1]?.text !== ".";
    return isPlain && origin !== undefined && origin.every(isLiteral);
  });

/** A name stands for what it was made of. */
const shape = (tokens: readonly Token[], origins: TokenOrigins): string => {
  const plain = bare(tokens);
  const [only] = plain;
  const origin = plain.length === 1 && only ? origins.get(only.text) : undefined;
  return textOf(origin ?? plain);
};

/** What an equality of two expressions holds. */
export const holdEqual = (left: readonly Token[], right: readonly Token[], origins: TokenOrigins): Held => {
  const isFailure = [left, right].every((side) => side.length === 1 && side.every(isLiteral));
  if (isFailure && shape(left, origins) !== shape(right, origins)) return { strength: 2 };
  if (isConstantTokens(left, origins) && isConstantTokens(right, origins))
    return { strength: 0, isConstant: true, problem: "compares constants with each other" };
  if (left.length > 0 && shape(left, origins) === shape(right, origins)) {
    const isCall = shape(left, origins).includes("(");
    const problem = isCall ? "expects what the code itself answers" : "compares a value with itself";
    return { strength: 0, isConstant: !isCall, problem };
  }
  return STRONGER;
};

const ALWAYS = /^(?:True|true|[1-9]\d*|"(?!")[^]*")$/;

/** What a condition holds that has to be true: Python's, Go's and Rust's alike. */
export const holdCondition = (whole: readonly Token[], origins: TokenOrigins): Held => {
  const tokens = bare(whole.filter(({ kind }) => kind !== "comment"));
  if (tokens.length === 0) return { strength: 0, problem: "checks nothing" };
  // `assert False` says that this place is not to be reached.
  if (/^(?:False|false|0)$/.test(textOf(tokens))) return { strength: 2 };
  const either = splitAt(tokens, isText("or", "||"));
  if (either.some((part) => ALWAYS.test(textOf(bare(part)))))
    return { strength: 0, isConstant: true, problem: "is always true" };
  if (either.length > 1) {
    const held = either.map((part) => holdCondition(part, origins).strength);
    return { strength: Math.min(...held, 2) as Held["strength"] };
  }
  const both = splitAt(tokens, isText("and", "&&"));
  if (both.length > 1) {
    const held = both.map((part) => holdCondition(part, origins));
    return held.reduce((one, other) => (other.strength > one.strength ? other : one));
  }
  const [left = [], right] = splitAt(tokens, isText("==", "is"));
  if (right) {
    if (right[0]?.text === "not" || textOf(left).startsWith("type (")) return { strength: 1 };
    return holdEqual(left, right, origins);
  }
  if (isConstantTokens(tokens, origins)) return { strength: 0, isConstant: true, problem: "is always true" };
  const [one = [], other] = splitAt(tokens, isText("!=", "<", ">", "<=", ">=", "in"));
  if (!other) return { strength: 1 };
  const isSame = shape(one, origins) === shape(other, origins);
  const isOpen = tokens.some(isText("<=", ">="));
  if (isSame && isOpen) return { strength: 0, isConstant: true, problem: "compares a value with itself" };
  return { strength: tokens.some(isText("!=")) ? 1 : 2 };
};

/** The literals among some tokens, and those that their names were made of. */
export const literalsWith = (tokens: readonly Token[], origins: TokenOrigins): string[] =>
  tokens.flatMap((token) =>
    isLiteral(token)
      ? [literalOf(token)]
      : literalsOf(token.kind === "word" ? (origins.get(token.text) ?? []) : []),
  );

/** The functions that are called, by the names they go by here. */
export const callsIn = (tokens: readonly Token[]): string[] =>
  tokens.flatMap(({ kind, text }, at) => (kind === "word" && tokens[at + 1]?.text === "(" ? [text] : []));

/** How much a function checks: by assertions that hold something, and by helpers that say so in their names. */
export const countChecks = (assertions: readonly Assertion[], calls: readonly string[]): number =>
  assertions.filter(({ strength }) => strength > 0).length +
  calls.filter((name) => CHECKS_BY_NAME.test(name)).length;

/** The arguments of a call whose opening bracket stands at `open`. */
export const argumentsAt = (tokens: readonly Token[], open: number): Token[][] =>
  splitAt(tokens.slice(open + 1, closingOf(tokens, open)), isText(",")).filter((part) => part.length > 0);
