import type { Severity } from "./catalogue.ts";
import { type Excuse, findExcuse } from "./language/context.ts";
import { readSentences, type Sentence } from "./language/sentences.ts";

/** A pattern of one's own: a regular expression over each sentence, ignoring case. */
export type OwnPattern = {
  id: string;
  severity: Severity;
  pattern: string;
  message: string;
  suggestion: string;
};

export type OwnFlag = { pattern: OwnPattern; match: string; excuse: Excuse };

const toFit = (sentence: Sentence, start: number, end: number) => {
  const inside = sentence.words.flatMap((word, i) => (word.start < end && word.end > start ? [i] : []));
  const from = inside[0];
  return from === undefined ? undefined : { from, to: inside.at(-1) ?? from };
};

/** Every sentence that a pattern fits, with what excuses it (negation, quotation, a question about facts …). */
export const findOwnFlags = (text: string, patterns: readonly OwnPattern[]): OwnFlag[] => {
  if (patterns.length === 0) return [];
  const sentences = readSentences(text);
  return patterns.flatMap((pattern) => {
    const regex = new RegExp(pattern.pattern, "giu");
    return sentences.flatMap((sentence, index): OwnFlag[] => {
      const raw = text.slice(sentence.start, sentence.end);
      return [...raw.matchAll(regex)].flatMap((found): OwnFlag[] => {
        if (found[0] === "") return [];
        const start = sentence.start + found.index;
        const fit = toFit(sentence, start, start + found[0].length);
        const excuse = fit ? findExcuse(sentence, fit, sentences[index + 1]) : undefined;
        return [{ pattern, match: found[0], excuse }];
      });
    });
  });
};
