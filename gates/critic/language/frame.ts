import {
  couldFit,
  couldPass,
  countWordSets,
  findMarks,
  findPatternStart,
  listPresent,
  runPattern,
} from "./patterns.ts";
import type { LineTest } from "./line-test.ts";
import type { Sentence } from "./sentences.ts";
import { type Read } from "./run-program.ts";
import { lookUp } from "./word-sets.ts";

/** Where a frame fits a sentence: the first and last word of the match. */
export type Fit = { from: number; to: number };

const reads = new WeakMap<Sentence, Read>();

const readOf = (sentence: Sentence): Read => {
  const known = reads.get(sentence);
  if (known) return known;
  const words = sentence.words.map(({ lemma }) => lemma);
  const read = { words, looked: lookUp(words, { count: countWordSets(), findMarks }) };
  reads.set(sentence, read);
  return read;
};

/** Which of some patterns in a row are worth a look, counted from the first. */
export const listPossible = (sentence: Sentence, first: number, count: number): number[] =>
  listPresent(first, count, readOf(sentence).looked.present);

/** Every place where the pattern of this number fits, from left to right (how one is written: `parseFrame`). */
export const findFits = (sentence: Sentence, pattern: number): Fit[] => {
  const fits: Fit[] = [];
  const read = readOf(sentence);
  if (!couldFit(pattern, read.looked.present)) return fits;
  const next = (from: number): number => findPatternStart(pattern, read, from);
  for (let from = next(0); from < read.words.length; from = next(from)) {
    const end = runPattern(pattern, read, from);
    if (end > from) fits.push({ from, to: end - 1 });
    from = Math.max(end, from + 1);
  }
  return fits;
};

/** Whether the pattern fits from this word on. */
export const fitsAt = (sentence: Sentence, pattern: number, at: number): boolean => {
  const read = readOf(sentence);
  return couldFit(pattern, read.looked.present) && runPattern(pattern, read, at) >= 0;
};

/** Whether the pattern fits from this word on or behind a few more, none of which ends the search. */
export const fitsSoon = (
  sentence: Sentence,
  pattern: number,
  { from, most, limit }: { from: number; most: number; limit?: number },
  isEnd: (lemma: string) => boolean,
): boolean => {
  const read = readOf(sentence);
  if (!couldFit(pattern, read.looked.present)) return false;
  for (let at = from; at <= from + most; at += 1) {
    if (runPattern(pattern, read, at, limit) >= 0) return true;
    const word = read.words[at];
    if (word === undefined || isEnd(word)) return false;
  }
  return false;
};

/** Whether the pattern fits before this word, with a few words in between at the most, none of which breaks it off. */
export const fitsJustBefore = (
  sentence: Sentence,
  pattern: number,
  { from = 0, before, most }: { from?: number; before: number; most: number },
  isBreak: (lemma: string) => boolean,
): boolean => {
  const read = readOf(sentence);
  if (!couldFit(pattern, read.looked.present)) return false;
  for (let at = from; at < before; at += 1) {
    const end = runPattern(pattern, read, at, before);
    if (end >= 0 && before - end <= most && !read.words.slice(end, before).some(isBreak)) return true;
  }
  return false;
};

/** Whether the pattern fits among these words, by default all; it may not reach beyond them. */
export const fitsAnywhere = (
  sentence: Sentence,
  pattern: number,
  { from, to }: Fit = { from: 0, to: sentence.words.length - 1 },
): boolean => {
  const read = readOf(sentence);
  if (!couldFit(pattern, read.looked.present)) return false;
  for (let at = from; at <= to; at += 1) if (runPattern(pattern, read, at, to + 1) >= 0) return true;
  return false;
};

/** Whether the expression fits a line that is made of words of the sentence. */
export const passes = (test: LineTest, line: string, sentence: Sentence): boolean =>
  couldPass(test, readOf(sentence).looked.present) && test.expression().test(line);

/** The same for a line of several sentences. */
export const passesIn = (test: LineTest, line: string, sentences: readonly Sentence[]): boolean =>
  couldPass(test, presentIn(sentences)) && test.expression().test(line);

const presentAll = new WeakMap<readonly Sentence[], Uint8Array>();
const presentIn = (sentences: readonly Sentence[]): Uint8Array => {
  const [only] = sentences;
  if (only && sentences.length === 1) return readOf(only).looked.present;
  const known = presentAll.get(sentences);
  if (known) return known;
  const present = new Uint8Array(countWordSets());
  for (const sentence of sentences) {
    const own = readOf(sentence).looked.present;
    for (let set = 0; set < present.length; set += 1) if (own[set] === 1) present[set] = 1;
  }
  presentAll.set(sentences, present);
  return present;
};
