import { callsIn } from "./condition.ts";
import type { TestCase } from "./source-model.ts";
import { closingOf, literalsOf, type Token, textOf } from "./tokens.ts";

/** A function of a language with braces: its name, what stands before it, and what is inside. */
export type BraceFunction = {
  name: string;
  line: number;
  before: Token[];
  params: Token[];
  body: Token[];
  at: number;
};

/** Where the body of a function opens whose name stands at `named`; undefined for one that is only declared. */
const bodyOf = (tokens: readonly Token[], named: number, depth: number): number | undefined => {
  for (let at = named + 1; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || token.depth > depth) continue;
    // `func f() interface{} {`
    if (token.text === "{" && /^(?:interface|struct)$/.test(tokens[at - 1]?.text ?? ""))
      at = closingOf(tokens, at);
    else if (token.text === "{") return at;
    if (token.text === ";" || token.depth < depth) return undefined;
  }
  return undefined;
};

/** The first token of the statement that the one at `at` belongs to. */
export const startOf = (tokens: readonly Token[], at: number, depth: number): number => {
  for (let index = at - 1; index >= 0; index--) {
    const token = tokens[index];
    if (token === undefined || token.depth > depth) continue;
    if (/^[;}]$/.test(token.text) || (token.text === "{" && token.depth < depth)) return index + 1;
  }
  return 0;
};

/** Functions by their keyword (`func`, `fn`), outermost first; `before` are the tokens since the last statement. */
export const findFunctions = (tokens: readonly Token[], keyword: string): BraceFunction[] => {
  const found: BraceFunction[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "word" || token.text !== keyword) continue;
    let named = at + 1;
    if (tokens[named]?.text === "(" && keyword === "func") {
      named = closingOf(tokens, named) + 1; // a receiver
      if (tokens[named]?.kind !== "word" || tokens[named + 1]?.text !== "(") continue;
    }
    const name = tokens[named];
    const open = bodyOf(tokens, named, token.depth);
    if (name?.kind !== "word" || open === undefined) continue;
    found.push({
      name: name.text,
      line: name.line,
      before: tokens.slice(startOf(tokens, at, token.depth), at),
      params: tokens.slice(named + 1, open),
      body: tokens.slice(open + 1, closingOf(tokens, open)),
      at,
    });
  }
  return found;
};

/** The tokens after an unconditional way out, or under a condition that is never met. */
export const findUnreached = (body: readonly Token[]): Set<Token> => {
  const unreached = new Set<Token>();
  for (const [at, token] of body.entries()) {
    const next = body[at + 1];
    if (token.text === "if" && /^(?:false|0)$/.test(next?.text ?? "") && body[at + 2]?.text === "{")
      for (const each of body.slice(at + 2, closingOf(body, at + 2))) unreached.add(each);
    const isOut = token.kind === "word" && token.text === "return";
    if (!isOut) continue;
    const end = body.findIndex((each, index) => index > at && each.depth < token.depth);
    const rest = body.slice(at + 1, end < 0 ? body.length : end);
    const own = rest.findIndex(({ line, text }) => line > token.line || text === ";");
    for (const each of own < 0 ? [] : rest.slice(own)) unreached.add(each);
  }
  return unreached;
};

/** The literals of a body beside what only words its reports: `wordsAt` answers with what does so from a token on. */
export const literalsBeside = (
  body: readonly Token[],
  wordsAt: (token: Token, at: number) => readonly Token[],
): string[] => {
  const words = new Set(body.flatMap(wordsAt));
  return literalsOf(body.filter((token) => !words.has(token)));
};

/** What a test of these languages is by its function alone. */
export const readTest = ({ name, line, body }: BraceFunction): Omit<TestCase, "assertions" | "literals"> => ({
  name,
  line,
  body: textOf(body),
  calls: callsIn(body),
  off: body[0]?.text === "return" ? "it returns before it checks anything" : undefined,
  offLine: line,
});
