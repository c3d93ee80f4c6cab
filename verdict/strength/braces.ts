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
  const end = tokens.findIndex(
    (token, at) => at > open && token.depth === depth && /^[)\]}]$/.test(token.text),
  );
  return end < 0 ? tokens.length : end;
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
    const open = tokens.findIndex(
      (each, index) => index > named && each.text === "{" && each.depth === token.depth,
    );
    const end = tokens.findIndex(
      (each, index) => index > named && each.text === ";" && each.depth === token.depth,
    );
    if (name?.kind !== "word" || open < 0 || (end >= 0 && end < open)) continue;
    const start = tokens.findLastIndex(
      (each, index) =>
        index < at &&
        each.depth <= token.depth &&
        (/^[;}]$/.test(each.text) || (each.text === "{" && each.depth < token.depth)),
    );
    found.push({
      name: name.text,
      line: name.line,
      before: tokens.slice(start + 1, at),
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
