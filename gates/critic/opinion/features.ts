import type { Sentence } from "../language/sentences.ts";
import { hashText } from "../language/word-table.ts";
import type { Word } from "../language/words.ts";
import type { Doc, Finding } from "../rules/rule.ts";
import { conceptsOf, CONSIDERING, CONTRAST, KEY, NEGATION, REJECTION, stemOf } from "./concepts.ts";

/** Every feature lands in one of this many buckets; two that share one are rare enough not to matter. */
export const BUCKETS = 1 << 22;

/** A feature of a sentence: its bucket, and the words that it stands on (for the explanation). */
export type Emit = (bucket: number, from: number, to: number) => void;

/** `at` is the place of the word in its sentence. */
type Token = { at: number; stem: number; concepts: readonly number[]; main: number; quoted: boolean };

const COMMA = 1_000_001;
const STOP = 1_000_002;
const NUMBER = 1_000_003;
const MAX_WORDS = 80;
const isPunctuation = (lemma: string): boolean =>
  (lemma.length === 1 && ",;:().!?>…&+".includes(lemma)) || lemma === "->" || lemma === "=>";

const mix = (hash: number, value: number): number => {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
};

/** Kinds of features, so that the same two words as neighbours and as far companions differ. */
const KIND = {
  stem: 1,
  concept: 2,
  stems: 3,
  pair: 4,
  triple: 5,
  sequence2: 6,
  sequence3: 7,
  sequence4: 8,
  near: 9,
  denied: 10,
  doubted: 11,
  plain: 12,
  before: 13,
  lastBefore: 14,
  nextAfter: 15,
  first: 16,
  firstTwo: 17,
  last: 18,
  tense: 19,
  question: 20,
  step: 21,
  checked: 22,
  position: 23,
  length: 24,
  rule: 25,
  frame: 26,
  added: 27,
  removed: 28,
  always: 29,
  anywhere: 30,
  ruleAnywhere: 31,
} as const;

const SEED = 0x2545f491;
const finish = (hash: number): number => (hash ^ (hash >>> 16)) & (BUCKETS - 1);

// One for each number of values: there are some hundred features in a sentence, and a list for each would be garbage.
const bucketOf = (kind: number): number => finish(mix(SEED, kind));
const bucketOf1 = (kind: number, a: number): number => finish(mix(mix(SEED, kind), a));
const bucketOf2 = (kind: number, a: number, b: number): number => finish(mix(mix(mix(SEED, kind), a), b));
const bucketOf3 = (kind: number, a: number, b: number, c: number): number =>
  finish(mix(mix(mix(mix(SEED, kind), a), b), c));
const bucketOf4 = (kind: number, a: number, b: number, c: number, d: number): number =>
  finish(mix(mix(mix(mix(mix(SEED, kind), a), b), c), d));

const NONE: readonly number[] = [];
const isNumber = (lemma: string): boolean => {
  for (let i = 0; i < lemma.length; i += 1) if (!"0123456789.".includes(lemma[i] ?? "")) return false;
  return lemma !== "";
};

const readToken = ({ lemma, quoted }: Word, at: number): Token => {
  if (isPunctuation(lemma)) {
    const mark = lemma === "," ? COMMA : STOP;
    return { at, stem: mark, concepts: NONE, main: mark, quoted };
  }
  if (isNumber(lemma)) return { at, stem: NUMBER, concepts: NONE, main: NUMBER, quoted };
  const stem = stemOf(lemma.toLowerCase());
  const concepts = conceptsOf(stem, lemma);
  const hash = hashText(stem);
  return { at, stem: hash, concepts, main: (concepts[0] ?? hash) + (quoted ? 0x10000000 : 0), quoted };
};

const isKey = (concept: number): boolean => KEY[concept] === true;
const WINDOW = 14;

/** Neighbours: of words, of words or concepts, and of concepts with the other words left out. */
const emitNeighbours = (tokens: readonly Token[], emit: Emit): void => {
  let i = -1;
  for (const { stem, concepts, main, quoted } of tokens) {
    i += 1;
    emit(bucketOf1(KIND.stem, stem), i, i);
    for (const concept of concepts) emit(bucketOf2(KIND.concept, concept, quoted ? 1 : 0), i, i);
    const next = tokens[i + 1];
    if (!next) continue;
    emit(bucketOf2(KIND.stems, stem, next.stem), i, i + 1);
    emit(bucketOf2(KIND.pair, main, next.main), i, i + 1);
    const third = tokens[i + 2];
    if (third) emit(bucketOf3(KIND.triple, main, next.main, third.main), i, i + 2);
  }
};

const emitSequences = (tokens: readonly Token[], emit: Emit): void => {
  const kept = tokens.filter(({ concepts, main }) => concepts.length > 0 || main === COMMA || main === STOP);
  for (let i = 0; i < kept.length; i += 1) {
    const a = kept[i];
    if (!a) continue;
    const [b, c, d] = [kept[i + 1], kept[i + 2], kept[i + 3]];
    if (b) emit(bucketOf2(KIND.sequence2, a.main, b.main), a.at, b.at);
    if (b && c) emit(bucketOf3(KIND.sequence3, a.main, b.main, c.main), a.at, c.at);
    if (b && c && d) emit(bucketOf4(KIND.sequence4, a.main, b.main, c.main, d.main), a.at, d.at);
    for (const x of a.concepts) if (isKey(x)) emitNear(x, a.at, kept, i, emit);
  }
};

/** A concept, and each that comes not far behind it. */
const emitNear = (x: number, at: number, kept: readonly Token[], i: number, emit: Emit): void => {
  for (let j = i + 1; j < Math.min(kept.length, i + WINDOW); j += 1) {
    const other = kept[j];
    if (!other) continue;
    for (const y of other.concepts) if (isKey(y)) emit(bucketOf2(KIND.near, x, y), at, other.at);
  }
};

/** Concepts under a negation, under a verb of rejecting or considering, and under neither. */
const emitScopes = (tokens: readonly Token[], words: readonly Word[], emit: Emit): void => {
  let denied = 0;
  let doubted = 0;
  for (const [i, { concepts, main }] of tokens.entries()) {
    const lemma = words[i]?.lemma ?? "";
    if (concepts.some((concept) => concept === NEGATION) || lemma === "instead" || lemma === "rather") {
      denied = 8;
      continue;
    }
    if (concepts.some((concept) => concept === REJECTION || concept === CONSIDERING)) {
      doubted = 10;
      continue;
    }
    if (main === STOP || concepts.some((concept) => concept === CONTRAST)) {
      denied = 0;
      doubted = 0;
      continue;
    }
    if (denied > 0) denied -= 1;
    if (doubted > 0) doubted -= 1;
    for (const concept of concepts) {
      if (denied > 0) emit(bucketOf1(KIND.denied, concept), i, i);
      if (doubted > 0) emit(bucketOf1(KIND.doubted, concept), i, i);
      if (denied === 0 && doubted === 0) emit(bucketOf1(KIND.plain, concept), i, i);
    }
  }
};

/** What the sentences before and behind speak of, against what this one does: the order of a plan. */
const emitAround = (keys: readonly ReadonlySet<number>[], index: number, emit: Emit): void => {
  const here = keys[index] ?? new Set();
  const earlier = new Set(keys.slice(0, index).flatMap((set) => [...set]));
  const last = keys[index - 1] ?? new Set();
  const next = keys[index + 1] ?? new Set();
  const later = new Set(keys.slice(index + 1).flatMap((set) => [...set]));
  for (const x of new Set([...earlier, ...here, ...later])) emit(bucketOf1(KIND.anywhere, x), 0, -1);
  for (const y of here) {
    for (const x of earlier) emit(bucketOf2(KIND.before, x, y), 0, -1);
    for (const x of last) emit(bucketOf2(KIND.lastBefore, x, y), 0, -1);
    for (const x of next) emit(bucketOf2(KIND.nextAfter, y, x), 0, -1);
  }
};

const TENSES = ["base", "s", "past", "ing"];

const emitShape = (sentence: Sentence, tokens: readonly Token[], emit: Emit): void => {
  const say = (bucket: number) => emit(bucket, 0, -1);
  const [first, second, last] = [tokens[0], tokens[1], tokens.at(-1)];
  say(bucketOf(KIND.always));
  say(bucketOf1(KIND.first, first?.main ?? 0));
  say(bucketOf2(KIND.firstTwo, first?.main ?? 0, second?.main ?? 0));
  say(bucketOf1(KIND.last, last?.main ?? 0));
  say(bucketOf1(KIND.tense, TENSES.indexOf(sentence.words[0]?.tense ?? "")));
  if (sentence.question) say(bucketOf(KIND.question));
  if (sentence.step !== undefined) say(bucketOf1(KIND.step, Math.min(4, sentence.step)));
  if (sentence.checked !== undefined) say(bucketOf1(KIND.checked, sentence.checked ? 1 : 0));
  say(bucketOf1(KIND.length, Math.min(5, Math.floor(tokens.length / 6))));
};

/** A line of a diff: what goes and what comes. */
const emitDiff = (text: string, sentence: Sentence, tokens: readonly Token[], emit: Emit): void => {
  const line = text.slice(Math.max(0, sentence.start - 3), sentence.end);
  if (!line.includes("-") && !line.includes("+")) return;
  const sign = /(?:^|\n)([-+])[ \t]*\S/.exec(line)?.[1];
  if (sign === undefined) return;
  const kind = sign === "+" ? KIND.added : KIND.removed;
  for (const [i, { concepts }] of tokens.entries())
    for (const concept of concepts) emit(bucketOf1(kind, concept), i, i);
};

/** What the rules saw in the sentence, and why they let it pass; the second opinion learns how far to trust them. */
const emitFindings = (sentence: Sentence, found: readonly Finding[], emit: Emit): void => {
  for (const { rule, frame, start, excuse } of found) {
    if (start < sentence.start || start >= sentence.end) continue;
    const said = hashText(`${rule} ${excuse ?? "flag"}`);
    emit(bucketOf1(KIND.rule, said), 0, -1);
    emit(bucketOf2(KIND.frame, said, hashText(frame)), 0, -1);
  }
};

/** Goes over a text sentence by sentence and emits what each is like; a feature may come more than once. */
export const eachFeature = (
  doc: Doc,
  found: readonly Finding[],
  emitFor: (sentence: number) => Emit,
): void => {
  const tokens = doc.sentences.map(({ words }) => words.slice(0, MAX_WORDS).map(readToken));
  const keys = tokens.map((all) => new Set(all.flatMap(({ concepts }) => concepts.filter(isKey))));
  for (const [index, sentence] of doc.sentences.entries()) {
    const emit = emitFor(index);
    const own = tokens[index] ?? [];
    emitNeighbours(own, emit);
    emitSequences(own, emit);
    emitScopes(own, sentence.words, emit);
    emitAround(keys, index, emit);
    emitShape(sentence, own, emit);
    emitDiff(doc.text, sentence, own, emit);
    emitFindings(sentence, found, emit);
    for (const { rule, excuse } of found)
      emit(bucketOf1(KIND.ruleAnywhere, hashText(`${rule} ${excuse ?? "flag"}`)), 0, -1);
    const place = index === 0 ? 0 : index === doc.sentences.length - 1 ? 2 : 1;
    emit(bucketOf1(KIND.position, place), 0, -1);
  }
};
