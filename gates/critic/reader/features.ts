import { isKey } from "./concepts.ts";
import type { Doc, Sentence } from "./sentences.ts";
import { isClauseMark, type Word } from "./words.ts";

/** What is noted of a sentence, in words that `weights.tsv` can be read by; `at` are the words that it stands on. */
export type Note = (feature: string, ...at: Word[]) => void;

const mainOf = ({ concepts, stem, quoted }: Word): string => `${concepts[0] ?? stem}${quoted ? '"' : ""}`;

/** As many letters in a row say what kin a word is of, also one with a typo in it: "deployment", "redeploys". */
const LETTERS = 4;

const notePartsOf = (word: Word, note: Note): void => {
  const whole = `<${word.stem}>`;
  for (let from = 0; from + LETTERS <= whole.length; from += 1)
    note(`~${whole.slice(from, from + LETTERS)}`, word);
};

/** Each word and its neighbours, by what they mean. */
const noteNeighbours = (words: readonly Word[], note: Note): void => {
  for (const [i, word] of words.entries()) {
    const main = mainOf(word);
    note(word.stem, word);
    notePartsOf(word, note);
    for (const concept of word.concepts) note(word.quoted ? `${concept}"` : concept, word);
    const [next, third] = [words[i + 1], words[i + 2]];
    if (!next) continue;
    note(`${word.stem} ${next.stem}`, word, next);
    note(`${main} ${mainOf(next)}`, word, next);
    note(`${word.stem}+${mainOf(next)}`, word, next);
    note(`${main}+${next.stem}`, word, next);
    if (third) note(`${main} ${mainOf(next)} ${mainOf(third)}`, word, next, third);
  }
};

/** The order of what is spoken of, the words between left out. */
const noteSequences = (words: readonly Word[], note: Note): void => {
  const kept = words.filter((word) => word.concepts.length > 0 || isClauseMark(word));
  for (const [i, word] of kept.entries()) {
    const [next, third] = [kept[i + 1], kept[i + 2]];
    const form = `${mainOf(word)}-${word.ending}`;
    if (word.ending) note(form, word);
    if (word.ending && next) note(`${form}_${mainOf(next)}`, word, next);
    if (next) note(`${mainOf(word)}_${mainOf(next)}`, word, next);
    if (next && third) note(`${mainOf(word)}_${mainOf(next)}_${mainOf(third)}`, word, next, third);
  }
};

const DENIED_WORDS = 8;
const DOUBTED_WORDS = 10;

/** What stands under a negation, under a verb of rejecting or considering, and under neither. */
const noteScopes = (words: readonly Word[], note: Note): void => {
  let denied = 0;
  let doubted = 0;
  for (const word of words) {
    const { concepts, stem } = word;
    if (concepts.includes("NEG") || concepts.includes("INSTEAD")) denied = DENIED_WORDS;
    else if (concepts.includes("REJECT") || concepts.includes("CONSIDER")) doubted = DOUBTED_WORDS;
    else if (stem === "." || stem === ">" || concepts.includes("BUT")) denied = doubted = 0;
    else {
      denied = Math.max(0, denied - 1);
      doubted = Math.max(0, doubted - 1);
      for (const concept of concepts) {
        if (denied > 0) note(`not:${concept}`, word);
        if (doubted > 0) note(`maybe:${concept}`, word);
        if (denied === 0 && doubted === 0) note(`plain:${concept}`, word);
      }
    }
  }
};

const keysOf = (sentences: readonly Sentence[]): Set<string> =>
  new Set(sentences.flatMap(({ words }) => words.flatMap(({ concepts }) => concepts.filter(isKey))));

/** How many sentences before and behind belong to the same train of thought. */
const AROUND = 6;

/** What the sentences around speak of, against what this one does: the order of a plan. */
const noteAround = ({ sentences }: Doc, index: number, note: Note): void => {
  const here = keysOf(sentences.slice(index, index + 1));
  const earlier = keysOf(sentences.slice(Math.max(0, index - AROUND), index));
  const last = keysOf(sentences.slice(Math.max(0, index - 1), index));
  const next = keysOf(sentences.slice(index + 1, index + 2));
  const later = keysOf(sentences.slice(index + 1, index + 1 + AROUND));
  for (const x of new Set([...earlier, ...here, ...later])) note(`near:${x}`);
  for (const y of here) {
    for (const x of earlier) note(`${x}>>${y}`);
    for (const x of last) note(`${x}>${y}`);
    for (const x of next) note(`${y}<${x}`);
  }
};

const noteShape = ({ words, question, step, checked, change }: Sentence, note: Note): void => {
  const [first, second, last] = [words[0], words[1], words.at(-1)];
  note("always");
  if (first) note(`first:${mainOf(first)}`, first);
  if (first?.ending) note(`first:-${first.ending}`, first);
  if (first && second) note(`first:${mainOf(first)} ${mainOf(second)}`, first, second);
  if (last) note(`last:${mainOf(last)}`, last);
  if (question) note("question");
  if (step !== undefined) note(`step:${Math.min(4, step)}`);
  if (checked !== undefined) note(checked ? "checked" : "unchecked");
  note(`length:${Math.min(5, Math.floor(words.length / 6))}`);
  if (change !== undefined)
    for (const word of words) for (const concept of word.concepts) note(`${change}:${concept}`, word);
};

/** Goes through one sentence of a text and notes what it is like; the same may be noted more than once. */
export const noteFeatures = (doc: Doc, index: number, note: Note): void => {
  const sentence = doc.sentences[index];
  if (!sentence) return;
  noteNeighbours(sentence.words, note);
  noteSequences(sentence.words, note);
  noteScopes(sentence.words, note);
  noteAround(doc, index, note);
  noteShape(sentence, note);
  note(index === 0 ? "place:first" : index === doc.sentences.length - 1 ? "place:last" : "place:middle");
};
