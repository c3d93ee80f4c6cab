import type { Word } from "./words.ts";

const SENTENCE_MARKS = ";:().!?>";
const BOUNDARY = new Set(
  ", ; : ( ) ! ? > but so because then since although though while just only".split(" "),
);
const CLAUSE_ENDS = new Set("; : ( ) ! ? > but so because since although though".split(" "));
const SUBJECTS = new Set("i we you he she they it this that will then be".split(" "));

const isBoundary = (lemma: string): boolean => BOUNDARY.has(lemma);
export const isSentenceMark = (lemma: string): boolean =>
  lemma.length === 1 && SENTENCE_MARKS.includes(lemma);

/** First word of the clause that holds the word at `at`. */
export const clauseStart = (words: readonly Word[], at: number, isEnd = isBoundary): number => {
  for (let i = at - 1; i >= 0; i -= 1) {
    const lemma = words[i]?.lemma ?? "";
    if (isEnd(lemma)) return i + 1;
    const next = words[i + 1]?.lemma ?? "";
    if (lemma === "and" && SUBJECTS.has(next)) return i + 1;
    const tense = words[i + 1]?.tense;
    // "instead of coding first and testing later" is one thing said of both.
    const isPair = tense === "ing" && words.slice(0, i).some((word) => word.tense === "ing");
    if (lemma === "and" && tense !== undefined && tense !== "base" && !isPair) return i + 1;
  }
  return 0;
};

export const clauseEnd = (words: readonly Word[], at: number): number => {
  for (let i = at + 1; i < words.length; i += 1) if (CLAUSE_ENDS.has(words[i]?.lemma ?? "")) return i;
  return words.length;
};

/** The lemmas of some words as a line: with single blanks around them. */
export const lemmas = (words: readonly Word[], from: number, to: number): string =>
  words.slice(from, to).reduce((line, { lemma }) => `${line}${lemma} `, " ");
