/*
 * Written out, because V8 compiles an expression to machine code when it is used a second time, and that takes
 * longer than all the words of a sentence.
 */

/** A word, an arrow or a mark, and where it begins. */
export type Token = { text: string; at: number };

const isWordCode = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  // The letters of other scripts, and what stands between them.
  (code >= 0xaa && code <= 0xffdc);
const isInside = (char: string): boolean => "'/@.-".includes(char);
/** A word of one character; general punctuation and symbols are none. */
const isWordAlone = (code: number): boolean => isWordCode(code) && (code <= 0x1fff || code >= 0x3040);

const MARKS = ",;:()>!?…—–&+.";
export const isMark = (token: string): boolean =>
  token === "->" || token === "=>" || (token.length === 1 && MARKS.includes(token));

/** The end of the word that begins here, or `at` when there is none. */
const findWordEnd = (text: string, at: number, end: number): number => {
  const first = text[at] ?? "";
  if (!isWordCode(text.charCodeAt(at)) && first !== "@" && first !== "#") return at;
  let last = at;
  for (let i = at + 1; i < end; i += 1) {
    if (isWordCode(text.charCodeAt(i))) last = i;
    else if (!isInside(text[i] ?? "")) break;
  }
  return last > at || isWordAlone(text.charCodeAt(at)) ? last + 1 : at;
};

/** What stands in a part of a text, in order; blanks and what is neither word nor mark are passed over. */
export const listTokens = (text: string, from: number, end: number): Token[] => {
  const tokens: Token[] = [];
  for (let at = from; at < end;) {
    const wordEnd = findWordEnd(text, at, end);
    const arrow = at + 2 <= end ? text.slice(at, at + 2) : "";
    const next =
      wordEnd > at
        ? wordEnd
        : arrow === "->" || arrow === "=>"
          ? at + 2
          : MARKS.includes(text[at] ?? " ")
            ? at + 1
            : at;
    if (next > at) tokens.push({ text: text.slice(at, next), at });
    at = Math.max(next, at + 1);
  }
  return tokens;
};

const isBlank = (char: string): boolean => char.trim() === "";

/** The places behind the marks that end a sentence, with the quotes and brackets that close behind them. */
export const listSentenceEnds = (text: string): { mark: string; end: number }[] => {
  const ends: { mark: string; end: number }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (!".!?…".includes(text[at] ?? " ")) continue;
    let end = at + 1;
    while (end < text.length && ".!?…".includes(text[end] ?? "")) end += 1;
    while (end < text.length && `"')]`.includes(text[end] ?? "")) end += 1;
    if (end === text.length || isBlank(text[end] ?? "")) ends.push({ mark: text.slice(at, end), end });
    at = end - 1;
  }
  return ends;
};

export const hasDigit = (text: string): boolean => {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) return true;
  }
  return false;
};

/** Nothing but small letters of the alphabet. */
export const isSmallWord = (text: string): boolean => {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 97 || code > 122) return false;
  }
  return text !== "";
};

/** "stopp", "runn": a consonant that an ending has doubled. */
export const endsDoubled = (stem: string): boolean => {
  const last = stem.at(-1) ?? "";
  return last !== "" && last === stem.at(-2) && "bdgklmnprt".includes(last);
};

/** With single blanks alone, and none at the ends. */
export const toOneLine = (text: string): string => {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 32 || code > 126 || (code === 32 && text[i + 1] === " "))
      return text.replace(/\s+/g, " ").trim();
  }
  return text.trim();
};
