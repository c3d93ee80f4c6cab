import type { Sentence } from "../language/sentences.ts";
import type { Word } from "../language/words.ts";
import type { Doc, Finding } from "../rules/rule.ts";
import { conceptsOf, CONSIDERING, CONTRAST, KEY, NEGATION, REJECTION, stemOf } from "./concepts.ts";

/** Every feature lands in one of this many buckets; two that share one are rare enough not to matter. */
export const BUCKETS = 1 << 22;

/** A feature of a sentence: its bucket, and the words that it stands on (for the explanation). */
export type Emit = (bucket: number, from: number, to: number) => void;

type Token = { stem: number; concepts: readonly number[]; main: number; quoted: boolean };

const COMMA = 1_000_001;
const STOP = 1_000_002;
const NUMBER = 1_000_003;
const MAX_WORDS = 80;
const isPunctuation = (lemma: string): boolean =>
  (lemma.length === 1 && ",;:().!?>…&+".includes(lemma)) || lemma === "->" || lemma === "=>";

const hashText = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
};

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

const bucketOf = (kind: number, ...values: number[]): number => {
  let hash = mix(0x2545f491, kind);
  for (const value of values) hash = mix(hash, value);
  return (hash ^ (hash >>> 16)) & (BUCKETS - 1);
};

const readToken = ({ lemma, quoted }: Word): Token => {
  if (isPunctuation(lemma))
    return { stem: lemma === "," ? COMMA : STOP, concepts: [], main: lemma === "," ? COMMA : STOP, quoted };
  if (/^[\d.]+$/.test(lemma)) return { stem: NUMBER, concepts: [], main: NUMBER, quoted };
  const stem = stemOf(lemma.toLowerCase());
  const concepts = conceptsOf(stem, lemma);
  const hash = hashText(stem);
  return { stem: hash, concepts, main: (concepts[0] ?? hash) + (quoted ? 0x10000000 : 0), quoted };
};

const isKey = (concept: number): boolean => KEY[concept] === true;
const WINDOW = 14;

/** Neighbours: of words, of words or concepts, and of concepts with the other words left out. */
const emitNeighbours = (tokens: readonly Token[], emit: Emit): void => {
  for (const [i, { stem, concepts, main, quoted }] of tokens.entries()) {
    emit(bucketOf(KIND.stem, stem), i, i);
    for (const concept of concepts) emit(bucketOf(KIND.concept, concept, quoted ? 1 : 0), i, i);
    const next = tokens[i + 1];
    if (!next) continue;
    emit(bucketOf(KIND.stems, stem, next.stem), i, i + 1);
    emit(bucketOf(KIND.pair, main, next.main), i, i + 1);
    const third = tokens[i + 2];
    if (third) emit(bucketOf(KIND.triple, main, next.main, third.main), i, i + 2);
  }
};

const emitSequences = (tokens: readonly Token[], emit: Emit): void => {
  const kept = tokens.flatMap((token, at) =>
    token.concepts.length > 0 || token.main === COMMA || token.main === STOP ? [{ ...token, at }] : [],
  );
  for (const [i, a] of kept.entries()) {
    const [b, c, d] = [kept[i + 1], kept[i + 2], kept[i + 3]];
    if (b) emit(bucketOf(KIND.sequence2, a.main, b.main), a.at, b.at);
    if (b && c) emit(bucketOf(KIND.sequence3, a.main, b.main, c.main), a.at, c.at);
    if (b && c && d) emit(bucketOf(KIND.sequence4, a.main, b.main, c.main, d.main), a.at, d.at);
    const near = a.concepts.filter(isKey);
    if (near.length === 0) continue;
    for (const other of kept.slice(i + 1, i + WINDOW))
      for (const x of near)
        for (const y of other.concepts) if (isKey(y)) emit(bucketOf(KIND.near, x, y), a.at, other.at);
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
      if (denied > 0) emit(bucketOf(KIND.denied, concept), i, i);
      if (doubted > 0) emit(bucketOf(KIND.doubted, concept), i, i);
      if (denied === 0 && doubted === 0) emit(bucketOf(KIND.plain, concept), i, i);
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
  for (const x of new Set([...earlier, ...here, ...later])) emit(bucketOf(KIND.anywhere, x), 0, -1);
  for (const y of here) {
    for (const x of earlier) emit(bucketOf(KIND.before, x, y), 0, -1);
    for (const x of last) emit(bucketOf(KIND.lastBefore, x, y), 0, -1);
    for (const x of next) emit(bucketOf(KIND.nextAfter, y, x), 0, -1);
  }
};

const TENSES = ["base", "s", "past", "ing"];

const emitShape = (sentence: Sentence, tokens: readonly Token[], emit: Emit): void => {
  const say = (bucket: number) => emit(bucket, 0, -1);
  const [first, second, last] = [tokens[0], tokens[1], tokens.at(-1)];
  say(bucketOf(KIND.always));
  say(bucketOf(KIND.first, first?.main ?? 0));
  say(bucketOf(KIND.firstTwo, first?.main ?? 0, second?.main ?? 0));
  say(bucketOf(KIND.last, last?.main ?? 0));
  say(bucketOf(KIND.tense, TENSES.indexOf(sentence.words[0]?.tense ?? "")));
  if (sentence.question) say(bucketOf(KIND.question));
  if (sentence.step !== undefined) say(bucketOf(KIND.step, Math.min(4, sentence.step)));
  if (sentence.checked !== undefined) say(bucketOf(KIND.checked, sentence.checked ? 1 : 0));
  say(bucketOf(KIND.length, Math.min(5, Math.floor(tokens.length / 6))));
};

/** A line of a diff: what goes and what comes. */
const emitDiff = (text: string, sentence: Sentence, tokens: readonly Token[], emit: Emit): void => {
  const sign = /(?:^|\n)([-+])[ \t]*\S/.exec(text.slice(Math.max(0, sentence.start - 3), sentence.end))?.[1];
  if (sign === undefined) return;
  const kind = sign === "+" ? KIND.added : KIND.removed;
  for (const [i, { concepts }] of tokens.entries())
    for (const concept of concepts) emit(bucketOf(kind, concept), i, i);
};

/** What the rules saw in the sentence, and why they let it pass; the second opinion learns how far to trust them. */
const emitFindings = (sentence: Sentence, found: readonly Finding[], emit: Emit): void => {
  for (const { rule, frame, start, excuse } of found) {
    if (start < sentence.start || start >= sentence.end) continue;
    const said = hashText(`${rule} ${excuse ?? "flag"}`);
    emit(bucketOf(KIND.rule, said), 0, -1);
    emit(bucketOf(KIND.frame, said, hashText(frame)), 0, -1);
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
      emit(bucketOf(KIND.ruleAnywhere, hashText(`${rule} ${excuse ?? "flag"}`)), 0, -1);
    const place = index === 0 ? 0 : index === doc.sentences.length - 1 ? 2 : 1;
    emit(bucketOf(KIND.position, place), 0, -1);
  }
};
