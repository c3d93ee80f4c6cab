import { type Excuse, findExcuse } from "../language/context.ts";
import { findFits, type Fit, listPossible, passesIn } from "../language/frame.ts";
import type { LineTest } from "../language/line-test.ts";
import { definePattern } from "../language/patterns.ts";
import type { Sentence } from "../language/sentences.ts";

export type RuleId = "R1" | "R2" | "R3" | "R4" | "R5";
export type Doc = { text: string; sentences: readonly Sentence[] };
export type Place = { doc: Doc; index: number; sentence: Sentence; fit: Fit };

/** A way of meaning the flag, and what must hold around it. */
export type Frame = {
  name: string;
  pattern: string;
  /** looked at once the pattern fits; false says that it means something else here */
  when?: (place: Place) => boolean;
  /** excuses that do not count for this frame */
  despite?: readonly NonNullable<Excuse>[];
};

/** What a rule saw: flagged when nothing excuses it. */
export type Finding = {
  rule: RuleId;
  frame: string;
  start: number;
  end: number;
  /** the words that spoke most for it, where it was learned and not found by a frame */
  words?: () => readonly string[];
  excuse: Excuse | "means something else here" | "none when the text is read as a whole";
};

/** The words around a fit, as a line. */
export const lineOf = (sentence: Sentence, from: number, to: number): string =>
  sentence.words
    .slice(Math.max(0, from), Math.max(0, to))
    .reduce((line, { lemma }) => `${line}${lemma} `, " ");

export const beforeOf = ({ sentence, fit }: Place): string => lineOf(sentence, 0, fit.from);
export const afterOf = ({ sentence, fit }: Place): string =>
  lineOf(sentence, fit.to + 1, sentence.words.length);
export const insideOf = ({ sentence, fit }: Place): string => lineOf(sentence, fit.from, fit.to + 1);
/** From the first word of the fit to the end of its sentence, and from its start to the last word of the fit. */
export const restOf = ({ sentence, fit }: Place): string => lineOf(sentence, fit.from, sentence.words.length);
export const untilOf = ({ sentence, fit }: Place): string => lineOf(sentence, 0, fit.to + 1);
export const linesAfter = ({ doc, index }: Place): string =>
  doc.sentences
    .slice(index + 1)
    .map(({ line }) => line)
    .join("|");
export const linesBefore = ({ doc, index }: Place): string =>
  doc.sentences
    .slice(0, index)
    .map(({ line }) => line)
    .join("|");
export const allLines = (doc: Doc): string => doc.sentences.map(({ line }) => line).join("|");

/** Whether the test fits a line of words of the text that the place is in. */
export const says = ({ doc }: Place, test: LineTest, line: string): boolean =>
  passesIn(test, line, doc.sentences);

/** The frames of a rule; their patterns are numbered from `first` on. */
export type Frames = { rule: RuleId; frames: readonly Frame[]; first: number };

export const defineFrames = (rule: RuleId, ...frames: readonly Frame[]): Frames => {
  const [first = 0] = frames.map(({ pattern }) => definePattern(pattern));
  return { rule, frames, first };
};

export const runFrames = (doc: Doc, { rule, frames, first }: Frames): Finding[] => {
  const found: Finding[] = [];
  for (const [index, sentence] of doc.sentences.entries()) {
    for (const i of listPossible(sentence, first, frames.length)) {
      const frame = frames[i];
      if (!frame) continue;
      for (const fit of findFits(sentence, first + i)) {
        const place = { doc, index, sentence, fit };
        const excuse = findExcuse(sentence, fit, doc.sentences[index + 1]);
        const counted = excuse !== undefined && frame.despite?.includes(excuse) ? undefined : excuse;
        const fits = counted !== undefined || frame.when === undefined || frame.when(place);
        found.push({
          rule,
          frame: frame.name,
          start: sentence.words[fit.from]?.start ?? sentence.start,
          end: sentence.words[fit.to]?.end ?? sentence.end,
          excuse: fits ? counted : "means something else here",
        });
      }
    }
  }
  return found;
};
