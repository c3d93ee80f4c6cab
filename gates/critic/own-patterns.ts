import { AppError } from "../../core/errors.ts";
import { withTimeLimit } from "../../core/time-limit.ts";
import type { Severity } from "./catalogue.ts";
import { type Excuse, findExcuse } from "./reader/excuses.ts";
import type { Doc, Sentence } from "./reader/sentences.ts";

/** A pattern of one's own: a regular expression over each sentence, ignoring case. */
export type OwnPattern = {
  id: string;
  severity: Severity;
  pattern: string;
  message: string;
  suggestion: string;
};

export type OwnFlag = { pattern: OwnPattern; match: string; excuse: Excuse | undefined };

/** What excuses the words between two places of a sentence. */
const excuseOf = (sentence: Sentence, start: number, end: number): Excuse | undefined => {
  const isInside = (word: { start: number; end: number }): boolean => word.start < end && word.end > start;
  const from = sentence.words.findIndex(isInside);
  return from < 0 ? undefined : findExcuse(sentence, from, sentence.words.findLastIndex(isInside));
};

const TIME_LIMIT_MS = 2_000;

/**
 * Every sentence that a pattern fits, with what excuses it (negation, quotation, a question about facts …).
 * @throws AppError `config` for an expression that does not come to an end: a hook that hangs would be passed by
 */
export const findOwnFlags = (doc: Doc, patterns: readonly OwnPattern[]): OwnFlag[] => {
  if (patterns.length === 0) return [];
  let current = patterns[0]?.id;
  const found = withTimeLimit(TIME_LIMIT_MS, () => matchAll(doc, patterns, (id) => (current = id)));
  if (found) return found.value;
  throw new AppError(
    "config",
    `the critic pattern "${current}" took longer than ${TIME_LIMIT_MS / 1000} s over this text; write it without nested repetition like (a+)+`,
  );
};

const matchAll = (
  { text, sentences }: Doc,
  patterns: readonly OwnPattern[],
  begin: (id: string) => void,
): OwnFlag[] =>
  patterns.flatMap((pattern) => {
    begin(pattern.id);
    const regex = new RegExp(pattern.pattern, "giu");
    return sentences.flatMap((sentence): OwnFlag[] => {
      const raw = text.slice(sentence.start, sentence.end);
      return [...raw.matchAll(regex)].flatMap((found): OwnFlag[] => {
        if (found[0] === "") return [];
        const start = sentence.start + found.index;
        return [{ pattern, match: found[0], excuse: excuseOf(sentence, start, start + found[0].length) }];
      });
    });
  });
