import { type FramePart, type Gap, type Group, type ParsedFrame, parseFrame } from "./frame-parser.ts";
import type { Sentence } from "./sentences.ts";
import { countSets, keepWordSets, type Looked, lookUp, marksOf, setsOf, useWordSets } from "./word-sets.ts";

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

/**
 * The frames as a build keeps them, with the word sets they speak of: for each pattern the marks of the sets
 * that it requires, and its parts as JSON, which most texts never need.
 */
export type FrameTable = {
  frames: Record<string, [required: string, parts: string]>;
  words: string;
  size: number;
};

const frames = new Map<string, ParsedFrame>();
let kept: FrameTable["frames"] = {};

/**
 * What was parsed until now, as plain data: a build keeps it, so that no process has to parse it again.
 * @public called by build/critic-bundle.mjs
 */
export const keepFrames = (): FrameTable => ({
  frames: Object.fromEntries(
    [...frames].map(([pattern, { required, parts }]) => [
      pattern,
      [marksOf(required), JSON.stringify(parts)],
    ]),
  ),
  ...keepWordSets(),
});

/**
 * Starts from a table that a build kept. A frame that is not in it is parsed when it is first asked for.
 * @public called by the bundle that build/critic-bundle.mjs makes
 */
export const useFrames = (table: FrameTable): void => {
  useWordSets(table);
  frames.clear();
  kept = table.frames;
};

const isPresent = ({ present }: Looked, required: readonly number[]): boolean =>
  required.every((set) => present[set] === 1);

/** The frame of a pattern, if the sentence holds a word of every set that it requires. */
const frameFor = (pattern: string, { looked }: Read, reread: () => Read): ParsedFrame | undefined => {
  const known = frames.get(pattern);
  if (known) return isPresent(looked, known.required) ? known : undefined;
  const [marks, parts] = kept[pattern] ?? [];
  if (marks !== undefined && parts !== undefined) {
    const required = setsOf(marks);
    if (!isPresent(looked, required)) return undefined;
    const frame = { required, parts: JSON.parse(parts) as FramePart[] };
    frames.set(pattern, frame);
    return frame;
  }
  const frame = parseFrame(pattern);
  frames.set(pattern, frame);
  return isPresent(reread().looked, frame.required) ? frame : undefined;
};

const reads = new WeakMap<Sentence, Read>();

const readOf = (sentence: Sentence): Read => {
  const known = reads.get(sentence);
  if (known && known.looked.size === countSets()) return known;
  const words = known?.words ?? sentence.words.map(({ lemma }) => lemma);
  const read = { words, looked: lookUp(words) };
  reads.set(sentence, read);
  return read;
};

/** Every place where the frame fits, from left to right (how a frame is written: `parseFrame`). */
export const findFits = (sentence: Sentence, pattern: string): Fit[] => {
  const fits: Fit[] = [];
  const frame = frameFor(pattern, readOf(sentence), () => readOf(sentence));
  if (!frame) return fits;
  const read = readOf(sentence);
  for (let from = 0; from < read.words.length; from += 1) {
    const end = matchParts(read, from, frame.parts, 0, (at) => at);
    if (end <= from) continue;
    fits.push({ from, to: end - 1 });
    from = end - 1;
  }
  return fits;
};
