export type LexedLanguage = "python" | "go" | "rust" | "javascript";

/** `mark` is punctuation, longest first; `value` is what a string says. */
export type Token = {
  kind: "word" | "number" | "string" | "comment" | "mark";
  text: string;
  value: string;
  line: number;
  column: number;
  /** how many brackets are open around it */
  depth: number;
};

const MARKS =
  /(?:===|!==|\.\.\.|\.\.=|>>>=|<<=|>>=|\*\*=|\/\/=|\?\?=|&&=|\|\|=|=>|->|==|!=|<=|>=|&&|\|\||\?\?|\?\.|::|:=|\+\+|--|\+=|-=|\*=|\/=|%=|\*\*|<-|\.\.|[^\s\w])/y;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?)\w*/y;
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
const PYTHON_STRING = /([rRbBuUfFtT]{0,2})('''|"""|'|")/y;
const RUST_RAW = /b?c?r(#*)"/y;
const RUST_CHAR = /b?'(?:\\(?:u\{[^}]*\}|x[\da-fA-F]{2}|.)|[^\\'\n])'/y;
const RUST_LIFETIME = /'[A-Za-z_]\w*/y;

type Found = { kind: Token["kind"]; length: number; value?: string };

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Where a quoted string that begins at `at` ends, its closing quote included. */
const endOfQuoted = (text: string, from: number, close: string, isRaw = false): number => {
  const isShort = close === "'" || close === '"';
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\" && !(isRaw && close === "`")) at++;
    else if (text.startsWith(close, at)) return at + close.length;
    else if (isShort && text[at] === "\n") return at;
  }
  return text.length;
};

const endOfNested = (text: string, at: number): number => {
  let depth = 1;
  let end = at + 2;
  while (end < text.length && depth > 0) {
    if (text.startsWith("/*", end)) depth++;
    else if (text.startsWith("*/", end)) depth--;
    end += text.startsWith("/*", end) || text.startsWith("*/", end) ? 2 : 1;
  }
  return end;
};

const findComment = (text: string, at: number, language: LexedLanguage): Found | undefined => {
  const isLine = language === "python" ? text[at] === "#" : text.startsWith("//", at);
  if (isLine) {
    const end = text.indexOf("\n", at);
    return { kind: "comment", length: (end < 0 ? text.length : end) - at };
  }
  if (language === "python" || !text.startsWith("/*", at)) return undefined;
  const close = text.indexOf("*/", at + 2);
  const end = language === "rust" ? endOfNested(text, at) : close < 0 ? text.length : close + 2;
  return { kind: "comment", length: end - at };
};

const quoted = (text: string, at: number, open: number, close: string, isRaw = false): Found => {
  const end = endOfQuoted(text, at + open, close, isRaw);
  return { kind: "string", length: end - at, value: text.slice(at + open, end - close.length) };
};

const findString = (text: string, at: number, language: LexedLanguage): Found | undefined => {
  if (language === "python") {
    const opened = matchAt(PYTHON_STRING, text, at);
    return opened ? quoted(text, at, opened[0].length, opened[2] ?? "'") : undefined;
  }
  if (language === "rust") {
    const raw = matchAt(RUST_RAW, text, at);
    if (raw) {
      const close = `"${raw[1]}`;
      const end = text.indexOf(close, at + raw[0].length);
      const stop = end < 0 ? text.length : end + close.length;
      return { kind: "string", length: stop - at, value: text.slice(at + raw[0].length, end) };
    }
    const char = matchAt(RUST_CHAR, text, at);
    if (char) return { kind: "string", length: char[0].length, value: char[0].slice(1, -1) };
    const lifetime = matchAt(RUST_LIFETIME, text, at);
    if (lifetime) return { kind: "mark", length: lifetime[0].length };
    if (text[at] === "b" && text[at + 1] === '"') return quoted(text, at, 2, '"');
    return text[at] === '"' ? endOfRustString(text, at) : undefined;
  }
  const open = text[at];
  if (open === "`") return quoted(text, at, 1, "`", language === "go");
  return open === '"' || open === "'" ? quoted(text, at, 1, open) : undefined;
};

/** A Rust string may go over several lines. */
const endOfRustString = (text: string, at: number): Found => {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return { kind: "string", length: end + 1 - at, value: text.slice(at + 1, end) };
};

/** Before what a slash begins a pattern and does not divide. */
const mayBeginPattern = (last: Token | undefined): boolean =>
  last === undefined ||
  (last.kind === "mark" && !/^[)\]}]$/.test(last.text)) ||
  (last.kind === "word" && /^(?:return|typeof|case|in|of|await|yield)$/.test(last.text));

const findToken = (text: string, at: number, language: LexedLanguage, last: Token | undefined): Found => {
  const found = findComment(text, at, language) ?? findString(text, at, language);
  if (found) return found;
  if (language === "javascript" && text[at] === "/" && mayBeginPattern(last)) {
    const pattern = matchAt(REGEX, text, at);
    if (pattern) return { kind: "string", length: pattern[0].length };
  }
  const word = matchAt(WORD, text, at);
  if (word) return { kind: "word", length: word[0].length };
  const number = /[\d.]/.test(text[at] ?? "") ? matchAt(NUMBER, text, at) : null;
  if (number && /\d/.test(number[0])) return { kind: "number", length: number[0].length };
  return { kind: "mark", length: matchAt(MARKS, text, at)?.[0].length ?? 1 };
};

/** The tokens of a source, comments among them. What cannot be a token is punctuation: nothing is refused. */
export const lex = (text: string, language: LexedLanguage): Token[] => {
  const tokens: Token[] = [];
  let line = 1;
  let lineStart = 0;
  let depth = 0;
  let last: Token | undefined;
  for (let at = 0; at < text.length;) {
    const char = text[at] ?? "";
    if (char === "\n") {
      line++;
      lineStart = at + 1;
    }
    if (/\s/.test(char)) {
      at++;
      continue;
    }
    const { kind, length, value } = findToken(text, at, language, last);
    const own = text.slice(at, at + length);
    if (kind === "mark" && /^[)\]}]$/.test(own)) depth = Math.max(0, depth - 1);
    const token: Token = { kind, text: own, value: value ?? own, line, column: at - lineStart, depth };
    if (kind === "mark" && /^[([{]$/.test(own)) depth++;
    tokens.push(token);
    if (kind !== "comment") last = token;
    for (let next = own.indexOf("\n"); next >= 0; next = own.indexOf("\n", next + 1)) {
      line++;
      lineStart = at + next + 1;
    }
    at += Math.max(1, length);
  }
  return tokens;
};

const CONSTANTS = new Set(["true", "false", "True", "False", "None", "null", "undefined", "nil"]);

export const isLiteral = ({ kind, text }: Token): boolean =>
  kind === "string" || kind === "number" || (kind === "word" && CONSTANTS.has(text));

/** A literal as it is compared: the same text in other quotes is the same. */
export const literalOf = ({ kind, text, value }: Token): string =>
  kind === "string" ? JSON.stringify(value) : text.replaceAll("_", "");

export const literalsOf = (tokens: readonly Token[]): string[] => tokens.filter(isLiteral).map(literalOf);

/** Tokens as one line of text; layout and comments are no difference. */
export const textOf = (tokens: readonly Token[]): string =>
  tokens
    .filter(({ kind }) => kind !== "comment")
    .map((token) => (token.kind === "string" ? literalOf(token) : token.text))
    .join(" ");

/** The index of the bracket that closes the one at `open`. */
export const closingOf = (tokens: readonly Token[], open: number): number => {
  const depth = tokens[open]?.depth ?? 0;
  for (let at = open + 1; at < tokens.length; at++)
    if (tokens[at]?.depth === depth && /^[)\]}]$/.test(tokens[at]?.text ?? "")) return at;
  return tokens.length;
};
