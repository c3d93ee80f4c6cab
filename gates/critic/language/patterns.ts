import { parseFrame } from "./frame-parser.ts";
import { assemble } from "./frame-program.ts";
import { definePart, defineTable } from "./kept-tables.ts";
import { holdsRequired, type LineTest, packLineTests } from "./line-test.ts";
import { findStart, type Programs, type Read, runProgram } from "./run-program.ts";
import { createWordSets, type WordSets } from "./word-sets.ts";

const declared: string[] = [];

/**
 * Declares a pattern (how one is written: `parseFrame`) and gives it its number. Only while modules are loaded:
 * a build keeps what all of them are parsed to, in this order.
 */
export const definePattern = (pattern: string): number => declared.push(pattern) - 1;

type Parsed = {
  frames: { program: number[]; required: number[] }[];
  shapes: string[];
  tests: Uint8Array;
  sets: WordSets;
};

let parsed: Parsed | undefined;
const parseAll = (): Parsed => {
  if (parsed) return parsed;
  const sets = createWordSets();
  const shapes: string[] = [];
  const numberOfShape = (shape: string): number =>
    shapes.includes(shape) ? shapes.indexOf(shape) : shapes.push(shape) - 1;
  const frames = declared.map((pattern) => {
    const { parts, required } = parseFrame(pattern, sets.numberOf);
    return { program: assemble(parts, numberOfShape), required };
  });
  return (parsed = { frames, shapes, tests: packLineTests(sets.numberOf), sets });
};

const BYTES = 2;
const WIDE = 4;
const COUNTS = 2;

const startsOf = (lists: readonly (readonly number[])[], first: number): number[] => {
  let at = first;
  return [...lists.map(({ length }) => (at += length) - length), at];
};

/**
 * Numbers of four bytes: how many patterns and word sets there are, for each pattern where its required sets begin
 * and where its program begins, and each of the two ends; then those sets and programs, in numbers of two bytes.
 * Places count those.
 */
const packPatterns = (): Uint8Array => {
  const { frames, sets } = parseAll();
  const lists = [frames.map(({ required }) => required), frames.map(({ program }) => program)] as const;
  const headNumbers = COUNTS + 2 * (frames.length + 1);
  const required = startsOf(lists[0], (headNumbers * WIDE) / BYTES);
  const programs = startsOf(lists[1], required.at(-1) ?? 0);
  const head = Uint32Array.from([frames.length, sets.count(), ...required, ...programs]);
  return Buffer.concat([Buffer.from(head.buffer), Buffer.from(Uint16Array.from(lists.flat(2)).buffer)]);
};

const readPatterns = definePart("patterns", packPatterns);
const readShapes = definePart("shapes", () => Buffer.from(JSON.stringify(parseAll().shapes)));

const shapes = new Map<number, RegExp>();
const shapeOf = (number: number): RegExp => {
  const known = shapes.get(number);
  if (known) return known;
  const shape = new RegExp((JSON.parse(readShapes().toString()) as string[])[number] ?? "");
  shapes.set(number, shape);
  return shape;
};

type Patterns = Programs & { head: Uint32Array };

let opened: Patterns | undefined;
const openPatterns = (): Patterns => {
  if (opened) return opened;
  const bytes = readPatterns();
  const { buffer, byteOffset } = bytes;
  const head = new Uint32Array(buffer, byteOffset, COUNTS + 2 * (bytes.readUInt32LE(0) + 1));
  return (opened = { head, code: new Uint16Array(buffer, byteOffset, bytes.length / BYTES), shapeOf });
};

/** The word sets of which a sentence, word by word, says the marks. */
export const findMarks = defineTable("word sets", () => parseAll().sets.entries());
export const countWordSets = (): number => openPatterns().head[1] ?? 0;

/** Those of some patterns in a row, counted from the first, of which each required word set is there. */
export const listPresent = (first: number, count: number, present: Uint8Array): number[] => {
  const { head, code } = openPatterns();
  const found: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const at = COUNTS + first + i;
    const end = head[at + 1] ?? 0;
    let place = head[at] ?? 0;
    while (place < end && present[code[place] ?? 0] === 1) place += 1;
    if (place === end) found.push(i);
  }
  return found;
};

/** Whether each word set that the pattern requires is there; without that it is not worth a look. */
export const couldFit = (pattern: number, present: Uint8Array): boolean =>
  listPresent(pattern, 1, present).length > 0;

const programOf = (pattern: number): number => {
  const { head } = openPatterns();
  return head[COUNTS + (head[0] ?? 0) + 1 + pattern] ?? 0;
};

/** Where the pattern ends in the sentence, as `runProgram` says it. */
export const runPattern = (pattern: number, read: Read, from: number, limit?: number): number =>
  runProgram(openPatterns(), programOf(pattern), read, from, limit);

/** The next word, this one or behind it, from which the pattern could fit; the number of words when there is none. */
export const findPatternStart = (pattern: number, read: Read, from: number): number =>
  findStart(openPatterns(), programOf(pattern), read, from);

const readTests = definePart("line tests", () => parseAll().tests);
let openedTests: Uint16Array | undefined;
const openTests = (): Uint16Array => {
  if (openedTests) return openedTests;
  const { buffer, byteOffset, length } = readTests();
  return (openedTests = new Uint16Array(buffer, byteOffset, length / BYTES));
};

/** Whether the words are there without which the test does not pass. */
export const couldPass = (test: LineTest, present: Uint8Array): boolean =>
  holdsRequired(openTests(), test, present);
