import { membersOf } from "./lexicon.ts";

/**
 * A part of a frame as plain data, so that a build can parse the frames once and for all: the number of a
 * word set, the shape of a word, a gap, or a group of alternatives.
 */
export type FramePart = number | { shape: string } | Gap | Group;
export type Gap = { gap: "~" | "*" | "^"; most: number };
export type Group = { any: FramePart[][]; least: number; most: number };

/** `required` are word sets of which a sentence must hold one each to be worth a look. */
export type ParsedFrame = { parts: FramePart[]; required: number[] };

type Draft = { words: readonly string[] } | Exclude<FramePart, number>;

const REPEATS = 6;
const ENDS_WORD = / |\||\)|$/g;
/** `(a|b|c)`: nothing but words. */
const PLAIN_GROUP = /\(([^ ()<?*~^\\]+)\)/y;
const IS_GAP = /^[~*^]\d+$/;

/** The number of a set of words. */
type NumberOf = (words: readonly string[]) => number;

const isWords = (draft: Draft | undefined): draft is { words: readonly string[] } =>
  draft !== undefined && "words" in draft;

const settle = (draft: Draft, numberOf: NumberOf): FramePart =>
  "words" in draft ? numberOf(draft.words) : draft;

const repeated = (inner: Draft[][], suffix: string, numberOf: NumberOf): Draft => {
  const merged: Draft[][] = [];
  // Words that stand beside each other as alternatives are one set.
  for (const drafts of inner) {
    const [word] = drafts.length === 1 ? drafts : [];
    const [before] = merged.at(-1)?.length === 1 ? (merged.at(-1) ?? []) : [];
    if (isWords(word) && isWords(before))
      merged[merged.length - 1] = [{ words: [...before.words, ...word.words] }];
    else merged.push(drafts);
  }
  const only = merged.length === 1 && merged[0]?.length === 1 ? merged[0][0] : undefined;
  if (suffix === "" && isWords(only)) return only;
  return {
    any: merged.map((drafts) => drafts.map((draft) => settle(draft, numberOf))),
    least: suffix === "" ? 1 : 0,
    most: suffix === "*" ? REPEATS : 1,
  };
};

/** One pass over a pattern. */
class FrameParser {
  readonly #pattern: string;
  readonly #numberOf: NumberOf;
  #at = 0;

  constructor(pattern: string, numberOf: NumberOf) {
    this.#pattern = pattern;
    this.#numberOf = numberOf;
  }

  sequence(): Draft[] {
    const drafts: Draft[] = [];
    for (;;) {
      while (this.#pattern[this.#at] === " ") this.#at += 1;
      const char = this.#pattern[this.#at];
      if (char === undefined || char === "|" || char === ")") return drafts;
      drafts.push(char === "(" ? this.#group() : this.#word());
    }
  }

  #group(): Draft {
    PLAIN_GROUP.lastIndex = this.#at;
    const plain = PLAIN_GROUP.exec(this.#pattern)?.[1];
    if (plain !== undefined) {
      this.#at += plain.length + 2;
      return repeated([[{ words: plain.split("|") }]], this.#suffix(), this.#numberOf);
    }
    const alternatives: Draft[][] = [];
    do {
      this.#at += 1;
      alternatives.push(this.sequence());
    } while (this.#pattern[this.#at] === "|");
    this.#at += 1;
    return repeated(alternatives, this.#suffix(), this.#numberOf);
  }

  #suffix(): string {
    const char = this.#pattern[this.#at];
    if (char !== "?" && char !== "*") return "";
    this.#at += 1;
    return char;
  }

  #word(): Draft {
    ENDS_WORD.lastIndex = this.#at;
    const end = ENDS_WORD.exec(this.#pattern)?.index ?? this.#pattern.length;
    const part = this.#pattern.slice(this.#at, end);
    this.#at = end;
    if (IS_GAP.test(part)) return { gap: part[0] as "~" | "*" | "^", most: Number(part.slice(1)) };
    const isOptional = part.length > 1 && part.endsWith("?");
    const word = isOptional ? part.slice(0, -1) : part;
    const draft: Draft = word.startsWith("<")
      ? { words: membersOf(word.slice(1, -1)).split("|") }
      : word.includes("\\")
        ? { shape: `^(?:${word})$` }
        : { words: [word] };
    return isOptional ? repeated([[draft]], "?", this.#numberOf) : draft;
  }
}

/**
 * Parses a frame. Its parts, blank-separated: a word, `(a|b c)` alternatives, `<class>` of the lexicon, a
 * group or word with `?` or `*`, `~n` up to n words without punctuation, `*n` up to n of anything, `^n` up to
 * n words of a noun phrase.
 */
export const parseFrame = (pattern: string, numberOf: NumberOf): ParsedFrame => {
  const drafts = new FrameParser(pattern, numberOf).sequence();
  const parts = drafts.map((draft) => settle(draft, numberOf));
  return { parts, required: parts.filter((part) => typeof part === "number") };
};
