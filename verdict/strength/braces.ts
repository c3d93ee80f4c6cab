import type { Token } from "./tokens.ts";

/** A function of a language with braces: its name, what stands before it, and what is inside. */
export type BraceFunction = {
  name: string;
  line: number;
  before: Token[];
  params: Token[];
  body: Token[];
  at: number;
};

/** The index of the bracket that closes the one at `open`. */
export const closingOf = (tokens: readonly Token[], open: number): number => {
  const depth = tokens[open]?.depth ?? 0;
  for (let at = open + 1; at < tokens.length; at++)
    if (tokens[at]?.depth === depth && /^[)\]}]$/.test(tokens[at]?.text ?? "")) return at;
  return tokens.length;
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
