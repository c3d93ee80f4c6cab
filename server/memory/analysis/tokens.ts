import { stemmer } from "stemmer";
import { STOP_WORDS } from "./stop-words.ts";

/**
 * One searchable term. A compound (`getUserById`, `src/a.ts`, `ERR_X`, `1.2.3`, `gate-test-17`) becomes
 * one term for the whole, in the one spelling `get_user_by_id`, and one for each part.
 */
export type Token = {
  term: string;
  kind: "word" | "whole" | "part";
  /** of a part: the terms of the compound that it is of */
  wholes?: readonly string[];
};

const RUN = /[\p{L}\p{N}\p{M}_$@#][\p{L}\p{N}\p{M}_$@#+.:/\\'’~-]*/gu;
// Most texts are ASCII, where a pattern without Unicode classes is several times as fast and finds the same.
const ASCII = /^[\u0000-\u007f]*$/;
const ASCII_RUN = /[A-Za-z0-9_$@#][A-Za-z0-9_$@#+.:/\\'~-]*/g;
const PLAIN_WORD = /^[A-Z]?[a-z]+$/;
const SCRIPT_WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
const OPAQUE = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{18,}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64})$/;
const MAX_TERM = 64;
const MAX_PARTS = 16;
/** the most text that is looked at; what lies beyond cannot be found, nor does it cost time */
const MAX_ANALYZED = 64 * 1024;

/** The terms of a text in order, with repetitions. Pure, and the same for learnings and for contexts. */
export const tokenize = (text: string): Token[] => {
  const tokens: Token[] = [];
  const looked = text.slice(0, MAX_ANALYZED);
  const runs = ASCII.test(looked) ? looked.match(ASCII_RUN) : looked.normalize("NFKC").match(RUN);
  for (const run of runs ?? []) addRun(run, tokens);
  return tokens;
};

/** Names that are nothing but their punctuation. */
const SPELLED = new Map([
  ["c++", "cpp"],
  ["c#", "csharp"],
  ["f#", "fsharp"],
]);

const addRun = (run: string, tokens: Token[]): void => {
  if (PLAIN_WORD.test(run)) return addWord(run, "word", tokens);
  const spelled = SPELLED.get(run.toLowerCase());
  if (spelled !== undefined) return push(spelled, "word", tokens);
  // The line and column behind a path change with every edit.
  const plain = run.replace(/['’](?:s\b)?/g, "").replace(/(\.\w+)(?::\d+){1,2}:?$/, "$1");
  if (/^[a-z]+$/.test(plain)) return addWord(plain, "word", tokens);
  if (SCRIPT_WITHOUT_SPACES.test(plain)) return addBigrams(plain, tokens);
  const parts = splitCompound(plain);
  if (parts.length === 1) return addWord(parts[0] ?? "", "word", tokens);
  if (parts.length === 0) return;
  const lower = plain.toLowerCase().replace(/[^\p{L}\p{N}-]+$/u, "");
  const whole = parts.slice(0, MAX_PARTS).join("_");
  if (OPAQUE.test(lower)) return push(lower.replaceAll("-", "_"), "whole", tokens);
  const first = tokens.length;
  push(whole, "whole", tokens);
  const file = /[/\\]([^/\\]+)$/.exec(plain)?.[1];
  const fileParts = file === undefined ? [] : splitCompound(file);
  if (fileParts.length > 1) push(fileParts.join("_"), "whole", tokens);
  const wholes = tokens.slice(first).map(({ term }) => term);
  const words = parts.slice(-MAX_PARTS);
  const firstPart = tokens.length;
  // "type-check", "typeCheck" and "typecheck" are one word to their writers.
  if (words.length === 2 && words.every((part) => /^[a-z]{2,}$/.test(part)))
    push(stem(words.join("")), "part", tokens);
  for (const part of words) addWord(part, "part", tokens);
  for (const token of tokens.slice(firstPart)) token.wholes = wholes;
};

const addWord = (word: string, kind: Token["kind"], tokens: Token[]): void => {
  const lower = fold(word);
  if (STOP_WORDS.has(lower) || (lower.length < 2 && !/\P{ASCII}/u.test(lower))) return;
  push(stem(lower), kind, tokens);
};

const push = (term: string, kind: Token["kind"], tokens: Token[]): void => {
  tokens.push({ term: term.slice(0, MAX_TERM), kind });
};

/** Lower-case parts of a compound: at separators, at camel humps, and between letters and digits. */
const splitCompound = (text: string): string[] =>
  text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replace(/(\p{L}{2,})(\p{N})/gu, "$1 $2")
    .replace(/(\p{N})(\p{L}{2,})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((part) => part !== "")
    .map(fold);

const addBigrams = (text: string, tokens: Token[]): void => {
  const characters = Array.from(text).filter((character) => /[\p{L}\p{N}]/u.test(character));
  if (characters.length === 1) push(fold(characters[0] ?? ""), "word", tokens);
  for (let at = 0; at + 1 < characters.length; at++)
    push(fold(`${characters[at]}${characters[at + 1]}`), "word", tokens);
};

const fold = (text: string): string =>
  ASCII.test(text) ? text.toLowerCase() : text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

const stems = new Map<string, string>();
const MAX_STEMS = 50_000;

/** Porter's stem of an English word; anything else as it is. */
export const stem = (word: string): string => {
  if (word.length < 4 || word.length > 40 || !/^[a-z]+$/.test(word)) return word;
  let known = stems.get(word);
  if (known === undefined) {
    if (stems.size >= MAX_STEMS) stems.clear();
    stems.set(word, (known = stemmer(word)));
  }
  return known;
};
