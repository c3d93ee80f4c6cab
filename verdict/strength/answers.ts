import type { Answer, Key } from "./source-model.ts";
import { isLiteral, literalOf, type Token } from "./tokens.ts";

const BESIDE = new Set(["==", "===", "case", "is", "equals", "Equal", "eq", "when"]);
const OPENS = new Set(["if", "elif", "case", "when", "unless", "else"]);
/** Words that make a value of a literal and nothing else. */
const MAKERS = new Set([
  "String",
  "from",
  "to_string",
  "to_owned",
  "into",
  "vec",
  "Some",
  "Ok",
  "new",
  "str",
  "string",
  "int",
  "nil",
  "Date",
  "parse",
  "UTC",
  "URL",
  "BigInt",
  "Decimal",
]);
const QUIET = new Set(["(", ")", "[", "]", "{", "}", ",", ":", ".", "::", "!", "-", "&", ";"]);
const MAX_LOOK = 60;

/** The literals of what is given back from `at` on; undefined when more than literals is given back. */
const readGiven = (tokens: readonly Token[], at: number): string[] | undefined => {
  const first = tokens[at];
  if (!first) return undefined;
  const given: string[] = [];
  for (let index = at; index < Math.min(tokens.length, at + 40); index++) {
    const token = tokens[index];
    if (!token || token.text === ";" || token.depth < first.depth) break;
    const isNext =
      token.line > (tokens[index - 1]?.line ?? token.line) && token.depth === first.depth && index > at;
    if (isNext || (token.text === "}" && token.depth <= first.depth && first.text !== "{")) break;
    if (isLiteral(token)) given.push(literalOf(token));
    else if (!MAKERS.has(token.text) && !QUIET.has(token.text)) return undefined;
  }
  return given.length > 0 ? given : undefined;
};

/** Where the value that a literal makes begins: `Date . parse ( "2024-01-15" )` begins at `Date`. */
const startOfValue = (tokens: readonly Token[], at: number): number => {
  let start = at;
  while (/^[.(]$/.test(tokens[start - 1]?.text ?? "") || MAKERS.has(tokens[start - 1]?.text ?? "")) start--;
  return start;
};

/** The literals that values were held against, one list for each way in (`||` opens another). */
const readAsked = (condition: readonly Token[]): string[][] => {
  const ways: string[][] = [[]];
  for (const [index, token] of condition.entries()) {
    if (token.text === "||" || token.text === "or") ways.push([]);
    if (!isLiteral(token)) continue;
    const start = startOfValue(condition, index);
    const before = condition.slice(Math.max(0, start - 2), start).map(({ text }) => text);
    const after = condition[index + 1]?.text ?? "";
    const isNegative = before.at(-1) === "-";
    const isAsked = BESIDE.has(before.at(-1) ?? "") || BESIDE.has(before[0] ?? "") || BESIDE.has(after);
    if (isAsked) ways.at(-1)?.push(`${isNegative ? "-" : ""}${literalOf(token)}`);
  }
  return ways.filter((asked) => asked.length > 0);
};

const conditionBefore = (tokens: readonly Token[], at: number): readonly Token[] => {
  for (let index = at - 1; index >= Math.max(0, at - MAX_LOOK); index--)
    if (OPENS.has(tokens[index]?.text ?? "")) return tokens.slice(index, at);
  return [];
};

/** The literals of a key that ends before `at`: one literal, or some in brackets. */
const keyBefore = (tokens: readonly Token[], at: number): string[] => {
  const last = tokens[at - 1];
  if (!last) return [];
  if (isLiteral(last)) return [literalOf(last)];
  if (last.text !== ")") return [];
  const inside: Token[] = [];
  for (let index = at - 2; index >= 0 && tokens[index]?.depth !== last.depth; index--) {
    const token = tokens[index];
    if (token) inside.unshift(token);
  }
  return inside.every((token) => isLiteral(token) || token.text === ",")
    ? inside.filter(isLiteral).map(literalOf)
    : [];
};

/** Where a source gives back constants for exactly these constants: a branch, an arm, a table. */
export const findAnswers = (all: readonly Token[]): Answer[] => {
  const tokens = all.filter(({ kind }) => kind !== "comment");
  const answers: Answer[] = [];
  const add = (line: number, ways: readonly string[][], given: string[] | undefined): void => {
    if (given) for (const asked of ways) if (asked.length > 0) answers.push({ line, asked, given });
  };
  for (const [index, { text, line }] of tokens.entries()) {
    const next = tokens[index + 1];
    if (text === "return") add(line, readAsked(conditionBefore(tokens, index)), readGiven(tokens, index + 1));
    if (text === "?" && next && isLiteral(next)) {
      const start = tokens.findLastIndex(
        (token, at) => at < index && /^(?:return|=|:|=>|;|\{)$/.test(token.text),
      );
      add(line, readAsked(tokens.slice(start + 1, index)), [literalOf(next)]);
    }
    if (text === "{" && next && (isLiteral(next) || MAKERS.has(next.text))) {
      const condition = conditionBefore(tokens, index);
      if (condition[0]?.text === "if") add(line, readAsked(condition), readGiven(tokens, index + 1));
    }
    if (text === ":" || text === "=>" || text === "->") {
      const given =
        next && isLiteral(next) ? [literalOf(next)] : text === ":" ? undefined : readGiven(tokens, index + 1);
      const key = keyBefore(tokens, index);
      if (key.length > 0 && given) add(line, [key], given);
    }
    if (
      text === "," &&
      tokens[index - 2]?.text === "[" &&
      tokens[index + 2]?.text === "]" &&
      next &&
      isLiteral(next)
    )
      add(line, [keyBefore(tokens, index)], [literalOf(next)]);
  }
  return answers;
};

const EQUALITY = /^(?:===?|!==?|is|case)$/;

/** Where a source asks for one number exactly: by equality, as a case or an arm, as a key of a table. */
export const findKeys = (all: readonly Token[]): Key[] => {
  const tokens = all.filter(({ kind }) => kind !== "comment");
  return tokens.flatMap(({ kind, line }, index): Key[] => {
    const token = tokens[index];
    if (kind !== "number" || !token) return [];
    const [before = "", after = ""] = [tokens[index - 1]?.text, tokens[index + 1]?.text];
    const isKey = /^[{,]$/.test(before) && /^(?::|=>)$/.test(after);
    const isArm = after === "=>" || (before === "|" && /^[|=]/.test(after));
    if (!EQUALITY.test(before) && !/^[!=]==?$/.test(after) && !isKey && !isArm) return [];
    return [{ line, value: literalOf(token) }];
  });
};
