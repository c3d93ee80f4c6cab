import type { RuleId } from "../catalogue.ts";
import { findFlagsOfSentence } from "./findings.ts";
import type { Doc, Sentence } from "./sentences.ts";
import type { Word } from "./words.ts";

/** Why words that look like a flag are none. */
export type Excuse =
  | "quoted"
  | "negated"
  | "rejected"
  | "considered and dropped"
  | "a question about facts"
  | "mentioned, not done"
  | "somebody else's or earlier";

/** What the words before a place make of it; the first that is there counts. */
const BY_CONCEPT: readonly (readonly [Excuse, readonly string[]])[] = [
  ["negated", ["NEG"]],
  ["rejected", ["REJECT", "INSTEAD"]],
  ["mentioned, not done", ["MENTION"]],
  ["considered and dropped", ["CONSIDER"]],
  ["somebody else's or earlier", ["OTHERS", "EARLIER"]],
];

const means = ({ concepts }: Word, some: readonly string[]): boolean =>
  concepts.some((concept) => some.includes(concept));

const asksForFacts = ({ question, words }: Sentence): boolean =>
  question && words[0] !== undefined && means(words[0], ["QUESTION"]);

const REACH = 8;
const DROPPED_BY = ["BUT", "INSTEAD"];

/** What excuses the words from `from` to `to` of a sentence: for patterns, which do not weigh their surroundings. */
export const findExcuse = (sentence: Sentence, from: number, to: number): Excuse | undefined => {
  const { words } = sentence;
  const fit = words.slice(from, to + 1);
  if (fit.length > 0 && fit.filter(({ quoted }) => quoted).length * 2 >= fit.length) return "quoted";
  if (asksForFacts(sentence)) return "a question about facts";
  const clause = words.findLastIndex(({ stem }, i) => i < from && (stem === "." || stem === ","));
  const before = words.slice(Math.max(clause + 1, from - REACH), from);
  const dropped = words.slice(to + 1).some((word) => means(word, DROPPED_BY));
  for (const [excuse, concepts] of BY_CONCEPT)
    if (before.some((word) => means(word, concepts)) && (excuse !== "considered and dropped" || dropped))
      return excuse;
  return undefined;
};

/** A rule that a sentence would raise if it did not say so in a way that excuses it. */
export type Excused = { rule: RuleId; sentence: number; excuse: Excuse };

/** The sentence without what excuses it. */
const listBare = (sentence: Sentence): { excuse: Excuse; bare: Sentence }[] => {
  // "do not skip" without its "not" is no "do skip".
  const without = (concepts: readonly string[]): Word[] =>
    sentence.words.filter(
      (word, i, { [i + 1]: next }) =>
        !means(word, concepts) && !(word.stem === "do" && next && means(next, concepts)),
    );
  const unquoted = sentence.words.map((word) => ({ ...word, quoted: false }));
  const all = BY_CONCEPT.map(([excuse, concepts]) => ({ excuse, words: without(concepts) }));
  return [
    ...(sentence.words.some(({ quoted }) => quoted) ? [{ excuse: "quoted" as const, words: unquoted }] : []),
    ...(asksForFacts(sentence)
      ? [{ excuse: "a question about facts" as const, words: without(["QUESTION"]) }]
      : []),
    ...all.filter(({ words }) => words.length < sentence.words.length),
  ].map(({ excuse, words }) => ({ excuse, bare: { ...sentence, words, question: false } }));
};

/** What would be a flag but for a negation, a quotation …: each sentence is read again without it. */
export const listExcused = (doc: Doc, flagged: readonly RuleId[]): Excused[] =>
  doc.sentences.flatMap((sentence, index) => {
    const excused = new Map<RuleId, Excused>();
    for (const { excuse, bare } of listBare(sentence))
      for (const rule of findFlagsOfSentence({ ...doc, sentences: doc.sentences.with(index, bare) }, index))
        if (!flagged.includes(rule) && !excused.has(rule))
          excused.set(rule, { rule, sentence: index, excuse });
    return [...excused.values()];
  });
