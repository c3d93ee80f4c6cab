/** The characters that an atom may match: a bit for each of ASCII, for each space beyond it, and one for all others. */
export type CharacterSet = bigint;

export type PatternNode =
  | { kind: "empty" }
  | { kind: "set"; set: CharacterSet }
  | { kind: "sequence"; items: readonly PatternNode[] }
  | { kind: "choice"; items: readonly PatternNode[] }
  | { kind: "repeat"; item: PatternNode; min: number; max: number };

const SPACES =
  "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff";
const SAMPLES = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), ...SPACES.split("")];
const OTHERS = 1n << BigInt(SAMPLES.length);
export const ANY: CharacterSet = (OTHERS << 1n) - 1n;
const MAY_MATCH_OTHERS = /[^\0-\x7f]|\\[upPSWD]|^\[\^/;

/** The engine itself says what an atom matches; where it may match any of the others, it counts as if it did. */
const readSet = (atom: string): CharacterSet => {
  if (atom === ".") return ANY;
  const expression = new RegExp(`^${atom}$`, "u");
  return SAMPLES.reduce(
    (set, character, bit) => (expression.test(character) ? set | (1n << BigInt(bit)) : set),
    MAY_MATCH_OTHERS.test(atom) ? OTHERS : 0n,
  );
};

/** Thrown for what cannot be judged here: look-around, back-references, inline flags. */
export class UnsupportedPattern extends Error {}

const ESCAPE = String.raw`\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u.{4}|x..|c.|[pP]\{[^}]*\}|.)`;
const CLASS = String.raw`\[(?:\\.|[^\]\\])*\]`;
const GROUP = String.raw`\((?:\?(?::|<?[=!]|<[^>]*>)?)?`;
const COUNT = String.raw`(?:[*+?]|\{[\d,]+\})\??`;
const TOKEN = new RegExp(`${ESCAPE}|${CLASS}|${GROUP}|${COUNT}|.`, "gsu");

/** The tokens of a regular expression that `new RegExp(source, "u")` has already accepted. */
export const listTokens = (source: string): string[] => source.match(TOKEN) ?? [];

const readCount = (token = ""): { min: number; max: number } | undefined => {
  const [, sign, least, comma, most] = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/.exec(token) ?? [];
  if (sign !== undefined) return { min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
  if (least === undefined) return undefined;
  return { min: Number(least), max: comma ? Number(most || Infinity) : Number(least) };
};

const assertSupported = (token: string): void => {
  if (/^\\(?:k|[1-9])/.test(token)) throw new UnsupportedPattern("a back-reference");
  if (/^\(\?<[=!]/.test(token)) throw new UnsupportedPattern("a look-behind");
  if (/^\(\?[=!]/.test(token)) throw new UnsupportedPattern("a look-ahead");
  if (token === "(?") throw new UnsupportedPattern("an inline flag");
};

/**
 * Reads the tokens of a regular expression. Assertions count as empty: that only adds ways to match, so a judgement
 * about too many ways stays on the careful side.
 */
export const parsePattern = (tokens: readonly string[]): PatternNode => {
  let at = 0;

  const choice = (): PatternNode => {
    const items = [sequence()];
    for (; tokens[at] === "|"; items.push(sequence())) at += 1;
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: "choice", items };
  };

  const sequence = (): PatternNode => {
    const items: PatternNode[] = [];
    for (let token = tokens[at]; token !== undefined && token !== "|" && token !== ")"; token = tokens[at]) {
      const item = atom(token);
      const count = readCount(tokens[at]);
      if (count !== undefined) at += 1;
      items.push(count === undefined ? item : { kind: "repeat", item, ...count });
    }
    return { kind: "sequence", items };
  };

  const atom = (token: string): PatternNode => {
    assertSupported(token);
    at += 1;
    if (/^(?:[$^]|\\[bB])$/.test(token)) return { kind: "empty" };
    if (!token.startsWith("(")) return { kind: "set", set: readSet(token) };
    const inner = choice();
    at += 1;
    return inner;
  };

  return choice();
};
