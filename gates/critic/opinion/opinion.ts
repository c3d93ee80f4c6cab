import { readFileSync } from "node:fs";
import { join } from "node:path";
import { definePart } from "../language/kept-tables.ts";
import type { Doc, Finding } from "../rules/rule.ts";
import { BUCKETS, eachFeature } from "./features.ts";

/** The rules that the second opinion speaks about; a fourth output stands for "any of them". */
export const OPINION_RULES = ["R1", "R4", "R5"] as const;
export type OpinionRule = (typeof OPINION_RULES)[number];
export const ANY = OPINION_RULES.length;

/** Two readers learned apart, each with an output for every rule and for any: one goes sentence by sentence, one takes the text at once. */
export const OUTPUTS_OF_A_READER = ANY + 1;
export const OUTPUTS = 2 * OUTPUTS_OF_A_READER;

/** What was learned: sorted buckets, and for each its weight towards every output. */
export type Weights = { buckets: Uint32Array; weights: Int8Array; scale: number };

/** Buckets whose first bits are alike stand in one cell, so that few have to be looked at to find one. */
const CELL_BITS = 10;
const CELLS = BUCKETS >>> CELL_BITS;
const HEADER = 8;

const startCells = (buckets: Uint32Array): Uint32Array => {
  const starts = new Uint32Array(CELLS + 1);
  for (const bucket of buckets)
    starts[(bucket >>> CELL_BITS) + 1] = (starts[(bucket >>> CELL_BITS) + 1] ?? 0) + 1;
  for (let cell = 0; cell < CELLS; cell += 1)
    starts[cell + 1] = (starts[cell + 1] ?? 0) + (starts[cell] ?? 0);
  return starts;
};

/** Weights as they lie in a file: count, scale, where each cell starts, buckets, weights. */
export const encodeWeights = ({ buckets, weights, scale }: Weights): Buffer => {
  const head = Buffer.alloc(HEADER);
  head.writeUInt32LE(buckets.length, 0);
  head.writeFloatLE(scale, 4);
  const parts = [startCells(buckets), buckets, weights];
  return Buffer.concat([head, ...parts.map((part) => Buffer.from(part.buffer))]);
};

type Learned = Weights & { cells: Uint32Array };

/** `file` lies at a multiple of four. */
const decodeWeights = (file: Buffer): Learned => {
  const { buffer, byteOffset } = file;
  const count = file.readUInt32LE(0);
  const cells = byteOffset + HEADER;
  const buckets = cells + (CELLS + 1) * Uint32Array.BYTES_PER_ELEMENT;
  const weights = buckets + count * Uint32Array.BYTES_PER_ELEMENT;
  return {
    cells: new Uint32Array(buffer, cells, CELLS + 1),
    buckets: new Uint32Array(buffer, buckets, count),
    weights: new Int8Array(buffer, weights, count * OUTPUTS),
    scale: file.readFloatLE(4),
  };
};

const readWeights = definePart("weights", () => readFileSync(join(import.meta.dirname, "weights.bin")));
let loaded: Learned | undefined;
const loadWeights = (): Learned => (loaded ??= decodeWeights(readWeights()));

const findBucket = ({ cells, buckets }: Learned, bucket: number): number => {
  const cell = bucket >>> CELL_BITS;
  const end = cells[cell + 1] ?? 0;
  for (let at = cells[cell] ?? 0; at < end; at += 1) if (buckets[at] === bucket) return at;
  return -1;
};

/** What a sentence, or the whole text, speaks for: log odds for each output. */
type Reading = Float64Array;
type Readings = { sentences: Reading[]; whole: Reading };

/** `first` is the place of the first of the weights. */
const add = (reading: Reading, { weights, scale }: Weights, first: number): void => {
  for (let output = 0; output < OUTPUTS_OF_A_READER; output += 1)
    reading[output] = (reading[output] ?? 0) + (weights[first + output] ?? 0) * scale;
};

const readAll = (doc: Doc, found: readonly Finding[], learned: Learned): Readings => {
  const sentences = doc.sentences.map(() => new Float64Array(OUTPUTS_OF_A_READER));
  const whole = new Float64Array(OUTPUTS_OF_A_READER);
  // In which sentence a bucket was seen last; 0 for nowhere yet. The features come sentence by sentence.
  const seenIn = new Uint32Array(learned.buckets.length);
  eachFeature(doc, found, (sentence) => {
    const reading = sentences[sentence] ?? whole;
    const number = sentence + 1;
    return (bucket) => {
      const at = findBucket(learned, bucket);
      if (at < 0 || seenIn[at] === number) return;
      add(reading, learned, at * OUTPUTS);
      if (seenIn[at] === 0) add(whole, learned, at * OUTPUTS + OUTPUTS_OF_A_READER);
      seenIn[at] = number;
    };
  });
  return { sentences, whole };
};

/** log odds that at least one sentence is a flag: each says so on its own. */
const together = (readings: readonly Reading[], output: number): number => {
  let none = 0;
  for (const reading of readings) none += Math.log1p(Math.exp(Math.min(30, reading[output] ?? 0)));
  return Math.log(Math.max(1e-9, Math.expm1(none)));
};

const ANY_COUNTS = 0.5;

/** How much a text speaks for each rule and for a STOP at all, in log odds, and for each rule in which sentence most. */
export type Opinion = { stop: number; rules: Record<OpinionRule, { own: number; sentence: number }> };

/** Reads the text, with what the rules found in it, by what was learned from labelled actions. */
export const giveOpinion = (doc: Doc, found: readonly Finding[], weights?: Weights): Opinion => {
  const learned = weights ? { ...weights, cells: startCells(weights.buckets) } : loadWeights();
  const { sentences, whole } = readAll(doc, found, learned);
  const apart = [...whole.keys()].map((output) => together(sentences, output));
  const read = (rule: OpinionRule) => {
    const output = OPINION_RULES.indexOf(rule);
    const best = (a: number, b: number) =>
      (sentences[b]?.[output] ?? 0) > (sentences[a]?.[output] ?? 0) ? b : a;
    const own = (apart[output] ?? 0) + (whole[output] ?? 0);
    return { own, sentence: [...sentences.keys()].reduce(best, 0) };
  };
  const most = (outputs: readonly number[]) =>
    Math.max(...outputs.slice(0, ANY)) + ANY_COUNTS * (outputs[ANY] ?? 0);
  return { stop: most(apart) + most([...whole]), rules: { R1: read("R1"), R4: read("R4"), R5: read("R5") } };
};

/** The words of a sentence that speak most for a rule. */
export const explainOpinion = (
  doc: Doc,
  found: readonly Finding[],
  { rule, sentence }: { rule: OpinionRule; sentence: number },
): string[] => {
  const learned = loadWeights();
  const words = doc.sentences[sentence]?.words ?? [];
  const says = words.map(() => 0);
  const output = OPINION_RULES.indexOf(rule);
  eachFeature(doc, found, (index) => (bucket, from, to) => {
    const at = index === sentence && to >= from ? findBucket(learned, bucket) : -1;
    if (at < 0) return;
    const ends = from === to ? [from] : [from, to];
    for (const end of ends)
      says[end] =
        (says[end] ?? 0) + ((learned.weights[at * OUTPUTS + output] ?? 0) * learned.scale) / ends.length;
  });
  return words
    .map(({ start, end }, i) => ({ text: doc.text.slice(start, end), says: says[i] ?? 0 }))
    .filter((word) => word.says > 0 && /\w/.test(word.text))
    .sort((a, b) => b.says - a.says)
    .slice(0, 4)
    .map(({ text }) => text);
};
