import { GAP_STYLES, OP } from "./frame-program.ts";
import type { Looked } from "./word-sets.ts";

const PUNCTUATION = new Set(",;:().!?>".split(""));
const ENDS_NOUN_PHRASE = new Set(
  "in from for at to into with on by because so that which then but if when while as is be until after before without inside within under beside outside behind between against via through of not never no nor".split(
    " ",
  ),
);
const PARTITIVES = new Set(
  "all any some most part half rest many none bunch couple set number out kind lot".split(" "),
);

const takesNounWord = (words: readonly string[], at: number): number => {
  const word = words[at];
  if (word === undefined) return -1;
  const next = PARTITIVES.has(word) && words[at + 1] === "of" ? at + 2 : at;
  const noun = words[next];
  return noun === undefined || PUNCTUATION.has(noun) || ENDS_NOUN_PHRASE.has(noun) ? -1 : next + 1;
};

type Style = (typeof GAP_STYLES)[number];

const stepOver = (words: readonly string[], at: number, style: Style): number => {
  const word = words[at];
  if (word === undefined) return -1;
  if (style === "^") return takesNounWord(words, at);
  return style === "~" && PUNCTUATION.has(word) ? -1 : at + 1;
};

/** What is left to try: pairs of an instruction and a word. Shared, because a run ends before the next begins. */
const pending: number[] = [];
const marks: number[] = [];

/** The word behind the gap when it is taken as long as can be; every shorter way is left to try, the longest last. */
const crossGap = (words: readonly string[], at: number, style: Style, most: number, next: number): number => {
  let here = at;
  if (style === "^" && words[at] === "that") {
    pending.push(next, here);
    here += 1;
  }
  for (let taken = 0; taken < most; taken += 1) {
    const word = stepOver(words, here, style);
    if (word < 0) break;
    pending.push(next, here);
    here = word;
  }
  return here;
};

/** Programs one behind the other, and the expressions that their shapes are numbers of. */
export type Programs = { code: Uint16Array; shapeOf: (shape: number) => RegExp };

/** A sentence, looked up. */
export type Read = { words: readonly string[]; looked: Looked };

/**
 * The place behind the last word when the program fits from a word on, without reaching beyond `limit`; else -1.
 * Of several ways, the one that is written first, with the longest gaps.
 */
export const runProgram = (
  { code, shapeOf }: Programs,
  start: number,
  { words, looked }: Read,
  from: number,
  limit = words.length,
): number => {
  const { holds, length } = looked;
  pending.length = 0;
  let pc = start;
  let at = from;
  for (;;) {
    const first = code[pc + 1] ?? 0;
    let isRight = true;
    switch (code[pc] ?? OP.end) {
      case OP.word:
        isRight = at < length && holds[first * length + at] === 1;
        at += 1;
        pc += 2;
        break;
      case OP.try:
        if (at < length && holds[first * length + at] === 1) {
          pending.push(start + (code[pc + 2] ?? 0), at);
          pc += 3;
        } else pc = start + (code[pc + 2] ?? 0);
        break;
      case OP.split:
        pending.push(start + first, at);
        pc += 2;
        break;
      case OP.jump:
        pc = start + first;
        break;
      case OP.gap:
        at = crossGap(words, at, GAP_STYLES[first] ?? "*", code[pc + 2] ?? 0, pc + 3);
        pc += 3;
        break;
      case OP.shape: {
        const word = words[at];
        isRight = word !== undefined && shapeOf(first).test(word);
        at += 1;
        pc += 2;
        break;
      }
      case OP.mark:
        marks[first] = at;
        pc += 2;
        break;
      case OP.check:
        isRight = marks[first] !== at;
        pc += 2;
        break;
      default:
        if (at <= limit) return at;
        isRight = false;
    }
    if (isRight) continue;
    if (pending.length === 0) return -1;
    at = pending.pop() ?? 0;
    pc = pending.pop() ?? 0;
  }
};

/** The next word, this one or behind it, from which the program could fit; the number of words when there is none. */
export const findStart = ({ code }: Programs, start: number, { looked }: Read, from: number): number => {
  if (code[start] !== OP.word) return from;
  const { holds, length } = looked;
  const row = (code[start + 1] ?? 0) * length;
  let at = from;
  while (at < length && holds[row + at] !== 1) at += 1;
  return at;
};
