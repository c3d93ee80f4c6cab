import { findInTable, packTable } from "./packed-table.ts";

/**
 * Every set of words that a frame asks for has a number, and every word knows the sets it is in: a sentence
 * is looked up once, word by word, instead of set by set for each of some hundred frames.
 */
export type WordSets = {
  size: number;
  /** what a build kept */
  kept: string;
  /** what came after that, or instead of it */
  ofWord: Map<string, string>;
};

let sets: WordSets = { size: 0, kept: "", ofWord: new Map() };
const numbers = new Map<string, number>();

// Two plain characters a set, none of which JSON has to escape: a table of text is quick to read from a file.
const FIRST = 40;
const RANGE = 52;
const markOf = (number: number): string =>
  String.fromCharCode(FIRST + (number % RANGE), FIRST + Math.floor(number / RANGE));

const findMarks = (word: string): string | undefined => sets.ofWord.get(word) ?? findInTable(sets.kept, word);

/** The sets of a text of marks. */
export const setsOf = (marks: string): number[] => {
  const found: number[] = [];
  for (let i = 0; i < marks.length; i += 2)
    found.push(marks.charCodeAt(i) - FIRST + (marks.charCodeAt(i + 1) - FIRST) * RANGE);
  return found;
};
export const marksOf = (numbers: readonly number[]): string => numbers.map(markOf).join("");

/** The number of a set of words; a set that was not met before gets the next one. */
export const setNumber = (words: readonly string[]): number => {
  const key = [...new Set(words)].sort().join("|");
  const known = numbers.get(key);
  if (known !== undefined) return known;
  const number = sets.size;
  sets.size += 1;
  numbers.set(key, number);
  const mark = markOf(number);
  for (const word of key.split("|")) sets.ofWord.set(word, (findMarks(word) ?? "") + mark);
  return number;
};

export const countSets = (): number => sets.size;

/** The table as it stands, for a build to keep. */
export const keepWordSets = (): { size: number; words: string } => ({
  size: sets.size,
  words: packTable(sets.ofWord),
});

/** Starts from a table that a build kept; sets made afterwards get numbers of their own. */
export const useWordSets = ({ size, words }: { size: number; words: string }): void => {
  sets = { size, kept: words, ofWord: new Map() };
  numbers.clear();
};

/** Which sets each word of a sentence is in: `holds[set * length + place]`, and `present[set]` for any of them. */
export type Looked = { size: number; length: number; holds: Uint8Array; present: Uint8Array };

export const lookUp = (words: readonly string[]): Looked => {
  const { size } = sets;
  const { length } = words;
  const holds = new Uint8Array(size * length);
  const present = new Uint8Array(size);
  for (let place = 0; place < length; place += 1) {
    for (const set of setsOf(findMarks(words[place] ?? "") ?? "")) {
      holds[set * length + place] = 1;
      present[set] = 1;
    }
  }
  return { size, length, holds, present };
};
