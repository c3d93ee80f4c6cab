import {
  argumentsAt,
  type Held,
  holdCondition,
  holdEqual,
  literalsWith,
  splitAt,
  type TokenOrigins,
} from "../condition.ts";
import type { Assertion } from "../source-model.ts";
import { type Token, textOf } from "../tokens.ts";
import type { Statement } from "./statements.ts";

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

export const readAssertion = ({ tokens, line }: Statement, origins: TokenOrigins): Assertion[] => {
  const text = textOf(tokens);
  const found: Assertion[] = [];
  const add = (held: Held, literals: Token[]): void => {
    found.push({ ...held, line, text, literals: literalsWith(literals, origins) });
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
      else if (token.text.startsWith("assert_") && tokens[index - 1]?.text === ".")
        add({ strength: 3 }, args.flat());
    }
  }
  return found;
};

/** Names with one plain origin; what is handed to others alone may be changed by them. */
export const readOrigins = (statements: readonly Statement[]): TokenOrigins => {
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

export const callsIn = (tokens: readonly Token[]): string[] =>
  tokens.flatMap(({ kind, text }, index) => {
    const isMethod = text.startsWith("assert") && tokens[index - 1]?.text === ".";
    return kind === "word" && tokens[index + 1]?.text === "(" && !isMethod ? [text] : [];
  });
