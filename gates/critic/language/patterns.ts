import { type FramePart, parseFrame } from "./frame-parser.ts";
import { definePart, defineTable } from "./kept-tables.ts";
import { holdsRequired, type LineTest, packLineTests } from "./line-test.ts";
import { createWordSets, type WordSets } from "./word-sets.ts";

const declared: string[] = [];

/**
 * Declares a pattern (how one is written: `parseFrame`) and gives it its number. Only while modules are loaded:
 * a build keeps what all of them are parsed to, in this order.
 */
export const definePattern = (pattern: string): number => declared.push(pattern) - 1;

type Parsed = { frames: { parts: FramePart[]; required: number[] }[]; tests: Uint8Array; sets: WordSets };

let parsed: Parsed | undefined;
const parseAll = (): Parsed => {
  if (parsed) return parsed;
  const sets = createWordSets();
  const frames = declared.map((pattern) => parseFrame(pattern, sets.numberOf));
  return (parsed = { frames, tests: packLineTests(sets.numberOf), sets });
};

const COUNTS = 2;
const NUMBER_BYTES = 4;
const SET_BYTES = 2;

/**
 * Numbers of four bytes: the patterns, the word sets, for each pattern where its required sets begin and where its
 * parts begin, and each of the two ends; then the required sets, two bytes each; then the parts as JSON.
 */
const packPatterns = (): Uint8Array => {
  const { frames, sets } = parseAll();
  const required = frames.flatMap((frame) => frame.required);
  const parts = frames.map((frame) => Buffer.from(JSON.stringify(frame.parts)));
  const requiredStart = (COUNTS + 2 * (frames.length + 1)) * NUMBER_BYTES;
  const partsStart = requiredStart + required.length * SET_BYTES;
  const head = Buffer.alloc(partsStart);
  let at = head.writeUInt32LE(frames.length, 0);
  at = head.writeUInt32LE(sets.count(), at);
  let place = requiredStart;
  for (const frame of [...frames, undefined]) {
    at = head.writeUInt32LE(place, at);
    place += (frame?.required.length ?? 0) * SET_BYTES;
  }
  place = partsStart;
  for (const part of [...parts, undefined]) {
    at = head.writeUInt32LE(place, at);
    place += part?.length ?? 0;
  }
  for (const set of required) at = head.writeUInt16LE(set, at);
  return Buffer.concat([head, ...parts]);
};

const readPatterns = definePart("patterns", packPatterns);

type Patterns = { bytes: Buffer; numbers: Uint32Array; sets: Uint16Array };

let opened: Patterns | undefined;
const openPatterns = (): Patterns => {
  if (opened) return opened;
  const bytes = readPatterns();
  const { buffer, byteOffset } = bytes;
  const numbers = new Uint32Array(buffer, byteOffset, COUNTS + 2 * (bytes.readUInt32LE(0) + 1));
  const sets = new Uint16Array(buffer, byteOffset, bytes.length >> 1);
  return (opened = { bytes, numbers, sets });
};

/** The word sets of which a sentence, word by word, says the marks. */
export const findMarks = defineTable("word sets", () => parseAll().sets.entries());
export const countWordSets = (): number => openPatterns().numbers[1] ?? 0;

/** Whether each word set that the pattern requires is there; without that it is not worth a look. */
export const couldFit = (pattern: number, present: Uint8Array): boolean => {
  const { numbers, sets } = openPatterns();
  const end = (numbers[COUNTS + pattern + 1] ?? 0) / SET_BYTES;
  for (let at = (numbers[COUNTS + pattern] ?? 0) / SET_BYTES; at < end; at += 1)
    if (present[sets[at] ?? 0] !== 1) return false;
  return true;
};

const readTests = definePart("line tests", () => parseAll().tests);
let openedTests: Uint16Array | undefined;
const openTests = (): Uint16Array => {
  if (openedTests) return openedTests;
  const { buffer, byteOffset, length } = readTests();
  return (openedTests = new Uint16Array(buffer, byteOffset, length / SET_BYTES));
};

/** Whether the words are there without which the test does not pass. */
export const couldPass = (test: LineTest, present: Uint8Array): boolean =>
  holdsRequired(openTests(), test, present);

const known = new Map<number, readonly FramePart[]>();

export const partsOf = (pattern: number): readonly FramePart[] => {
  const before = known.get(pattern);
  if (before) return before;
  const { bytes, numbers } = openPatterns();
  const index = COUNTS + (numbers[0] ?? 0) + 1 + pattern;
  const parts = JSON.parse(bytes.toString("utf8", numbers[index], numbers[index + 1])) as FramePart[];
  known.set(pattern, parts);
  return parts;
};
