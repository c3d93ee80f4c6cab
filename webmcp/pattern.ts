import { RE2JS, RE2JSException } from "re2js";

/** Tests texts in time that grows with their length and never faster: no pattern and no text can stall it. */
export type Pattern = { test: (text: string) => boolean };

/** What one character may cost at most: room for `.{0,512}`. At that, the 64 KiB of a large call take seconds. */
const MAX_STEPS = 1100;

/**
 * Reads the `pattern` of a schema as ECMA-262 does under the u flag; it may be found anywhere in a text. A pattern
 * that cannot be run gives the reason instead.
 */
export const compilePattern = (source: string): Pattern | string => {
  if (!isRegularExpression(source)) return "the pattern is not a regular expression under the u flag";
  const tokens = source.match(TOKEN) ?? [];
  for (const [what, sign] of UNSUPPORTED)
    if (tokens.some((token) => sign.test(token))) return `the pattern uses ${what}, which is not supported`;
  try {
    const pattern = RE2JS.compile(translate(tokens));
    return pattern.programSize() <= MAX_STEPS ? pattern : "the pattern repeats too much";
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `the pattern cannot be run: ${error.message.replace("error parsing regexp: ", "")}`;
  }
};

const isRegularExpression = (source: string): boolean => {
  try {
    RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
};

/** What may stand in a class; the first are the two halves of one character. */
const MEMBER = /\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\[pP]\{[^}]*\}|\\.|./gsu;
/** The parts of an expression that `RegExp` has accepted. */
const TOKEN = new RegExp(
  String.raw`\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|<[^>]*>|[^:])|${MEMBER.source}`,
  MEMBER.flags,
);

const UNSUPPORTED = [
  ["look-ahead", /^\(\?[=!]/],
  ["look-behind", /^\(\?<[=!]/],
  ["inline flags", /^\(\?[^<]/],
  ["a back-reference", /^\\[k1-9]/],
] as const;

/** The expression in RE2's syntax; the rest of the differences, such as `\u{1F600}`, is known to RE2JS. */
const translate = (tokens: readonly string[]): string =>
  RE2JS.translateRegExp(tokens.map((token) => translateToken(token)).join(""));

const translateToken = (token: string): string => {
  if (token === ".") return String.raw`[^\n\r\x{2028}\x{2029}]`;
  // A group's name may have letters that RE2 does not allow there, and changes no match.
  if (token.startsWith("(?")) return "(";
  if (token.startsWith("[")) return `[${token.slice(1, -1).replace(MEMBER, translateMember)}]`;
  return /^\\(?:[sSpP]|u.{4}\\)/.test(token) ? `[${translateMember(token)}]` : token;
};

const MEMBERS: Readonly<Record<string, string>> = {
  "[": String.raw`\[`,
  [String.raw`\b`]: String.raw`\x08`,
  [String.raw`\s`]: String.raw`\t-\r \xa0\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`,
  [String.raw`\S`]: String.raw`\x00-\x08\x0e-\x1f!-\x9f\xa1-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`,
};

const translateMember = (member: string): string => {
  if (/^\\[pP]/.test(member)) return translateProperty(member);
  if (/^\\u.{4}\\/.test(member)) return JSON.parse(`"${member}"`) as string;
  return MEMBERS[member] ?? member;
};

const properties = new Map<string, string>();

const translateProperty = (property: string): string => {
  const known = properties.get(property);
  if (known !== undefined) return known;
  const translated = isKnown(property) ? property : listCharacters(new RegExp(property, "u"));
  properties.set(property, translated);
  return translated;
};

/** RE2 has `\p{L}`, and not `\p{Letter}` or `\p{Script=Greek}`. */
const isKnown = (property: string): boolean => {
  try {
    RE2JS.compile(property);
    return true;
  } catch {
    return false;
  }
};

/** The characters that an expression matches, as ranges. It tries them all, so whoever asks keeps the answer. */
const listCharacters = (expression: RegExp): string => {
  let ranges = "";
  let first: number | undefined;
  for (let code = 0; code <= 0x110000; code += 1)
    if (code < 0x110000 && expression.test(String.fromCodePoint(code))) first ??= code;
    else if (first !== undefined) {
      ranges += String.raw`\x{${first.toString(16)}}-\x{${(code - 1).toString(16)}}`;
      first = undefined;
    }
  return ranges;
};
