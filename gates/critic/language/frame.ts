import type { FramePart, Gap, Group } from "./frame-parser.ts";
import { couldFit, couldPass, countWordSets, findMarks, partsOf } from "./patterns.ts";
import type { LineTest } from "./line-test.ts";
import type { Sentence } from "./sentences.ts";
import { type Looked, lookUp } from "./word-sets.ts";

/** Where a frame fits a sentence: the first and last word of the match. */
export type Fit = { from: number; to: number };

const PUNCTUATION = new Set(",;:().!?>".split(""));
const ENDS_NOUN_PHRASE = new Set(
  "in from for at to into with on by because so that which then but if when while as is be until after before without inside within under beside outside behind between against via through of not never no nor".split(
    " ",
  ),
);
const PARTITIVES = new Set(
  "all any some most part half rest many none bunch couple set number out kind lot".split(" "),
);

type Then = (at: number) => number;
type Read = { words: readonly string[]; looked: Looked };

const takesNounWord = (words: readonly string[], at: number): number => {
  const word = words[at];
  if (word === undefined) return -1;
  const next = PARTITIVES.has(word) && words[at + 1] === "of" ? at + 2 : at;
  const noun = words[next];
  return noun === undefined || PUNCTUATION.has(noun) || ENDS_NOUN_PHRASE.has(noun) ? -1 : next + 1;
};

const stepOver = (words: readonly string[], at: number, style: "~" | "*" | "^"): number => {
  const word = words[at];
  if (word === undefined) return -1;
  if (style === "^") return takesNounWord(words, at);
  return style === "~" && PUNCTUATION.has(word) ? -1 : at + 1;
};

/** The end of the longest way to get over the gap from which the rest still fits. */
const matchGap = ({ words }: Read, at: number, { gap, most }: Gap, then: Then): number => {
  const stops = [at];
  let here = gap === "^" && words[at] === "that" ? at + 1 : at;
  if (here !== at) stops.push(here);
  for (let taken = 0; taken < most; taken += 1) {
    here = stepOver(words, here, gap);
    if (here < 0) break;
    stops.push(here);
  }
  for (let i = stops.length - 1; i >= 0; i -= 1) {
    const end = then(stops[i] ?? at);
    if (end >= 0) return end;
  }
  return -1;
};

const matchGroup = (read: Read, at: number, group: Group, then: Then, taken = 0): number => {
  if (taken < group.most)
    for (const alternative of group.any) {
      const end = matchParts(read, at, alternative, 0, (next) =>
        next === at ? -1 : matchGroup(read, next, group, then, taken + 1),
      );
      if (end >= 0) return end;
    }
  return taken >= group.least ? then(at) : -1;
};

const shapes = new Map<string, RegExp>();
const hasShape = (word: string, shape: string): boolean => {
  let regex = shapes.get(shape);
  if (!regex) shapes.set(shape, (regex = new RegExp(shape)));
  return regex.test(word);
};

function matchParts(read: Read, at: number, parts: readonly FramePart[], index: number, then: Then): number {
  const part = parts[index];
  if (part === undefined) return then(at);
  const word = read.words[at];
  if (typeof part === "number")
    return word !== undefined && read.looked.holds[part * read.words.length + at] === 1
      ? matchParts(read, at + 1, parts, index + 1, then)
      : -1;
  if ("shape" in part)
    return word !== undefined && hasShape(word, part.shape)
      ? matchParts(read, at + 1, parts, index + 1, then)
      : -1;
  const rest: Then = (next) => matchParts(read, next, parts, index + 1, then);
  return "gap" in part ? matchGap(read, at, part, rest) : matchGroup(read, at, part, rest);
}

const reads = new WeakMap<Sentence, Read>();

const readOf = (sentence: Sentence): Read => {
  const known = reads.get(sentence);
  if (known) return known;
  const words = sentence.words.map(({ lemma }) => lemma);
  const read = { words, looked: lookUp(words, { count: countWordSets(), findMarks }) };
  reads.set(sentence, read);
  return read;
};

/** Every place where the pattern of this number fits, from left to right (how one is written: `parseFrame`). */
export const findFits = (sentence: Sentence, pattern: number): Fit[] => {
  const fits: Fit[] = [];
  const read = readOf(sentence);
  if (!couldFit(pattern, read.looked.present)) return fits;
  const parts = partsOf(pattern);
  for (let from = 0; from < read.words.length; from += 1) {
    const end = matchParts(read, from, parts, 0, (at) => at);
    if (end <= from) continue;
    fits.push({ from, to: end - 1 });
    from = end - 1;
  }
  return fits;
};

/** Whether the pattern fits from this word on. */
export const fitsAt = (sentence: Sentence, pattern: number, at: number): boolean => {
  const read = readOf(sentence);
  return (
    couldFit(pattern, read.looked.present) && matchParts(read, at, partsOf(pattern), 0, (end) => end) >= 0
  );
};

/** Whether the pattern fits among these words, by default all; it may not reach beyond them. */
export const fitsAnywhere = (
  sentence: Sentence,
  pattern: number,
  { from, to }: Fit = { from: 0, to: sentence.words.length - 1 },
): boolean => {
  const read = readOf(sentence);
  if (!couldFit(pattern, read.looked.present)) return false;
  const parts = partsOf(pattern);
  for (let at = from; at <= to; at += 1)
    if (matchParts(read, at, parts, 0, (end) => (end <= to + 1 ? end : -1)) >= 0) return true;
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
  const known = presentAll.get(sentences);
  if (known) return known;
  const present = new Uint8Array(countWordSets());
  for (const sentence of sentences)
    for (const [set, isThere] of readOf(sentence).looked.present.entries()) if (isThere) present[set] = 1;
  presentAll.set(sentences, present);
  return present;
};
