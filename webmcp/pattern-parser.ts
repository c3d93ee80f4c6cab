/** Sorted or not, inclusive ranges of code points. */
export type CharacterSet = readonly (readonly [number, number])[];

export type PatternNode =
  | { kind: "empty" }
  | { kind: "set"; set: CharacterSet }
  | { kind: "sequence"; items: readonly PatternNode[] }
  | { kind: "choice"; items: readonly PatternNode[] }
  | { kind: "repeat"; item: PatternNode; min: number; max: number };

const LAST = 0x10ffff;
export const ANY: CharacterSet = [[0, LAST]];
const DIGITS: CharacterSet = [[48, 57]];
const WORD: CharacterSet = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const SPACE: CharacterSet = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const EMPTY: PatternNode = { kind: "empty" };

const complement = (set: CharacterSet): CharacterSet => {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [low, high] of [...set].sort((a, b) => a[0] - b[0])) {
    if (low > next) gaps.push([next, low - 1]);
    next = Math.max(next, high + 1);
  }
  if (next <= LAST) gaps.push([next, LAST]);
  return gaps;
};

const CLASS_ESCAPES: Record<string, CharacterSet> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
  // Which characters a Unicode property holds is not worth a table: "any" only errs on the careful side.
  p: ANY,
  P: ANY,
};

const CONTROL_ESCAPES: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13, "0": 0 };

/** Thrown for what cannot be judged here: look-around, back-references, inline flags. */
export class UnsupportedPattern extends Error {}

/**
 * Reads a regular expression that `new RegExp(source, "u")` has already accepted. Assertions count as empty:
 * that only adds ways to match, so a judgement about too many ways stays on the careful side.
 */
export const parsePattern = (source: string): PatternNode => {
  const characters = Array.from(source);
  let at = 0;
  const peek = (): string | undefined => characters[at];
  const eat = (text: string): boolean => {
    if (characters.slice(at, at + text.length).join("") !== text) return false;
    at += text.length;
    return true;
  };
  const eatWhile = (allowed: RegExp): string => {
    let text = "";
    for (let next = peek(); next !== undefined && allowed.test(next); next = peek()) {
      text += next;
      at += 1;
    }
    return text;
  };

  const choice = (): PatternNode => {
    const items = [sequence()];
    while (eat("|")) items.push(sequence());
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: "choice", items };
  };

  const sequence = (): PatternNode => {
    const items: PatternNode[] = [];
    while (peek() !== undefined && peek() !== "|" && peek() !== ")") items.push(repeat(atom()));
    return { kind: "sequence", items };
  };

  const repeat = (item: PatternNode): PatternNode => {
    const bounds = quantifier();
    if (bounds === undefined) return item;
    eat("?");
    return { kind: "repeat", item, ...bounds };
  };

  const quantifier = (): { min: number; max: number } | undefined => {
    if (eat("*")) return { min: 0, max: Infinity };
    if (eat("+")) return { min: 1, max: Infinity };
    if (eat("?")) return { min: 0, max: 1 };
    if (!eat("{")) return undefined;
    const min = Number(eatWhile(/\d/));
    const open = eat(",");
    const digits = eatWhile(/\d/);
    eat("}");
    return { min, max: open ? (digits === "" ? Infinity : Number(digits)) : min };
  };

  const atom = (): PatternNode => {
    if (eat("^") || eat("$")) return EMPTY;
    if (eat("(")) return group();
    if (eat("[")) return { kind: "set", set: characterClass() };
    if (eat(".")) return { kind: "set", set: ANY };
    if (eat("\\")) {
      if (eat("b") || eat("B")) return EMPTY;
      if (peek() === "k" || /[1-9]/.test(peek() ?? "")) throw new UnsupportedPattern("a back-reference");
      return { kind: "set", set: escaped() };
    }
    return { kind: "set", set: literal() };
  };

  const group = (): PatternNode => {
    if (eat("?")) {
      if (eat("<")) {
        if (peek() === "=" || peek() === "!") throw new UnsupportedPattern("a look-behind");
        while (!eat(">")) at += 1;
      } else if (!eat(":")) {
        throw new UnsupportedPattern(peek() === "=" || peek() === "!" ? "a look-ahead" : "an inline flag");
      }
    }
    const inner = choice();
    eat(")");
    return inner;
  };

  const literal = (): CharacterSet => {
    const code = characters[at]?.codePointAt(0) ?? 0;
    at += 1;
    return [[code, code]];
  };

  const escaped = (): CharacterSet => {
    const letter = characters[at] ?? "";
    const named = CLASS_ESCAPES[letter];
    if (named !== undefined) {
      at += 1;
      if ((letter === "p" || letter === "P") && eat("{")) while (!eat("}")) at += 1;
      return named;
    }
    const control = CONTROL_ESCAPES[letter];
    if (control !== undefined) {
      at += 1;
      return [[control, control]];
    }
    if (eat("c")) return literal().map(([code]) => [code % 32, code % 32]);
    if (eat("x")) return single(hexadecimal(2));
    if (eat("u{")) {
      const code = Number.parseInt(eatWhile(/[0-9a-f]/i), 16);
      eat("}");
      return single(code);
    }
    if (eat("u")) return unicodeEscape();
    return literal();
  };

  const unicodeEscape = (): CharacterSet => {
    const code = hexadecimal(4);
    if (code < 0xd800 || code > 0xdfff) return single(code);
    // Half of a surrogate pair: "any" covers it whether or not the other half follows.
    if (eat("\\u")) hexadecimal(4);
    return ANY;
  };

  const single = (code: number): CharacterSet => [[code, code]];

  const hexadecimal = (digits: number): number => {
    const code = Number.parseInt(characters.slice(at, at + digits).join(""), 16);
    at += digits;
    return code;
  };

  const characterClass = (): CharacterSet => {
    const negated = eat("^");
    const ranges: (readonly [number, number])[] = [];
    let isExact = true;
    const member = (): CharacterSet => {
      const set = eat("\\") ? classEscape() : literal();
      if (set === ANY) isExact = false;
      return set;
    };
    while (!eat("]")) {
      const low = member();
      if (peek() === "-" && characters[at + 1] !== "]") {
        at += 1;
        const high = member();
        ranges.push([low[0]?.[0] ?? 0, high.at(-1)?.[1] ?? LAST]);
      } else ranges.push(...low);
    }
    if (!negated) return ranges;
    // What is outside of a set that was taken as too large may be anything, too.
    return isExact ? complement(ranges) : ANY;
  };

  const classEscape = (): CharacterSet => (eat("b") ? [[8, 8]] : escaped());

  return choice();
};
