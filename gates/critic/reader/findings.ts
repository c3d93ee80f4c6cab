import type { RuleId } from "../catalogue.ts";
import type { Doc } from "./sentences.ts";
import { OUTPUTS, type Speech, type Weights, weighSentence } from "./weights.ts";

/** A rule that a text raises, and the number of the sentence that raises it most. */
export type Finding = { rule: RuleId; sentence: number };

const STOPPING = ["R1", "R4", "R5"] as const;
const CAUTIONS = ["R2", "R3"] as const;

/** Log odds from which on a sentence is a STOP; found by leaving out a fifth of the learned texts in turn. */
const STOPS = -1.7;
/** How much "a STOP, whichever rule it is" counts beside the rule itself. */
const ANY_COUNTS = 0.5;
/** Log odds from which on a rule is named beside the one that speaks loudest. */
const NAMED = -1;
const CAUTIONED = -1.5;
/** Nearly every command of an agent is harmless, other than the texts that were learned from. */
const COMMAND_MORE = 1.5;
/** In many sentences one speaks up by chance: from some on it takes more, and from a page's worth on more still. */
const SOME_SENTENCES = 4;
const PAGE_SENTENCES = 16;

const valueOf = (speech: Speech, output: (typeof OUTPUTS)[number]): number =>
  speech[OUTPUTS.indexOf(output)] ?? 0;

const loudestRule = (speech: Speech): (typeof STOPPING)[number] =>
  STOPPING.reduce((best, rule) => (valueOf(speech, rule) > valueOf(speech, best) ? rule : best));

/** How much a sentence speaks for a STOP. */
const stopOf = (speech: Speech): number =>
  valueOf(speech, loudestRule(speech)) + ANY_COUNTS * valueOf(speech, "STOP");

const TESTS = "TEST ASSERT CASE RUNTESTS TESTFILE UNTESTED SKIPMARK SNAPUPDATE LOOSE".split(" ");
/** What the text must speak of, in the sentence or beside it: a plan without any test in it is no plan without tests. */
const SUBJECTS = {
  R1: new Set("REPO SERVICE PROJECT REPOCREATE RESTART DEPLOYWAY".split(" ")),
  R4: new Set(TESTS),
  R5: new Set([...TESTS, ..."SKIPGUARD CI HOOK NOVERIFY SKIPFLAG SKIPCI SWALLOW RED GREEN FULL".split(" ")]),
} as const;

/** What a sentence speaks for, without the rules whose subject it does not touch. */
const hear = (doc: Doc, index: number, weights?: Weights): Speech => {
  const near = doc.sentences.slice(Math.max(0, index - 1), index + 2);
  const concepts = near.flatMap(({ words }) => words.flatMap((word) => word.concepts));
  const speech = [...weighSentence(doc, index, weights)];
  for (const rule of STOPPING)
    if (!concepts.some((concept) => SUBJECTS[rule].has(concept))) speech[OUTPUTS.indexOf(rule)] = -Infinity;
  return speech;
};

const indexOfMost = (values: readonly number[]): number => values.indexOf(Math.max(...values));

/** How much it takes for a text to be flagged more than for a single sentence. */
const moreFor = (sentences: number, isCommand: boolean): number =>
  0.5 * Math.log(Math.max(1, sentences / SOME_SENTENCES)) +
  Math.log(Math.max(1, sentences / PAGE_SENTENCES)) +
  (isCommand ? COMMAND_MORE : 0);

const decide = (speeches: readonly Speech[], more: number): Finding[] => {
  const loudest = indexOfMost(speeches.map(stopOf));
  const stop = speeches[loudest];
  if (!stop) return [];
  const most = (rule: RuleId): Finding & { value: number } => {
    const values = speeches.map((speech) => valueOf(speech, rule));
    const sentence = indexOfMost(values);
    return { rule, sentence, value: values[sentence] ?? 0 };
  };
  const cautions = CAUTIONS.map(most).filter(({ value }) => value >= CAUTIONED + more);
  const isStop = stopOf(stop) >= STOPS + more;
  const first = isStop ? [{ rule: loudestRule(stop), sentence: loudest }] : [];
  const beside = isStop
    ? STOPPING.filter((rule) => rule !== loudestRule(stop))
        .map(most)
        .filter(({ value }) => value >= NAMED + more)
    : [];
  return [...first, ...beside, ...cautions].map(({ rule, sentence }) => ({ rule, sentence }));
};

type Options = { isCommand?: boolean; weights?: Weights };

/** The rules that a text raises. Its sentences are judged one by one, each with those around it; one is enough. */
export const findFlags = (doc: Doc, { isCommand = false, weights }: Options = {}): Finding[] =>
  decide(
    doc.sentences.map((_, index) => hear(doc, index, weights)),
    moreFor(doc.sentences.length, isCommand),
  );

/** The rules that one sentence of a text raises. */
export const findFlagsOfSentence = (doc: Doc, index: number): RuleId[] =>
  decide([hear(doc, index)], moreFor(doc.sentences.length, false)).map(({ rule }) => rule);
