import type { Aliases } from "./aliases.ts";
import { type Token, tokenize } from "./tokens.ts";

/** A learning as the scorer sees it. */
export type AnalyzedLearning = {
  trigger: ReadonlyMap<string, number>;
  learning: ReadonlyMap<string, number>;
  triggerLength: number;
  learningLength: number;
  /** terms of the trigger that are parts of a compound already counted as a whole */
  parts: ReadonlySet<string>;
  /** every term of both, and those of them with a digit: ids, versions, ports, markers */
  terms: ReadonlySet<string>;
  numbers: readonly string[];
  /** whether it says that something is not so, or not to be done */
  denies: boolean;
};

/** One thing a context mentions, with the other terms that would count as a mention of it. */
export type Concept = {
  term: string;
  kind: Token["kind"];
  count: number;
  others: readonly { term: string; factor: number }[];
};

type Texts = {
  trigger: string;
  learning: string;
  alternative?: string | undefined;
  reason?: string | undefined;
  project?: string | undefined;
};

export const analyzeLearning = ({
  trigger,
  learning,
  alternative,
  reason,
  project,
}: Texts): AnalyzedLearning => {
  const triggerTokens = tokenize(trigger);
  const body = [learning, alternative, reason, project].filter((text) => text !== undefined).join("\n");
  const bodyTokens = tokenize(body);
  const terms = new Set([...triggerTokens, ...bodyTokens].map(({ term }) => term));
  return {
    trigger: countTerms(triggerTokens),
    learning: countTerms(bodyTokens),
    triggerLength: triggerTokens.length,
    learningLength: bodyTokens.length,
    terms,
    numbers: [...terms].filter((term) => /\d/.test(term)).sort(),
    denies: isDenial(learning),
    parts: new Set(triggerTokens.filter(({ kind }) => kind === "part").map(({ term }) => term)),
  };
};

const countTerms = (tokens: readonly Token[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { term } of tokens) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
};

/** Every distinct term of a context. */
export const analyzeContext = (text: string, aliases: Aliases): Concept[] => {
  const concepts = new Map<string, Concept>();
  for (const { term, kind } of tokenize(text)) {
    const known = concepts.get(term);
    if (known) known.count += 1;
    else concepts.set(term, { term, kind, count: 1, others: aliases.get(term) ?? [] });
  }
  return [...concepts.values()];
};

const NEGATION =
  /\b(?:not|never|no longer|avoid|stop|don'?t|doesn'?t|must ?n'?t|should ?n'?t|cannot|can'?t|won'?t|isn'?t|without|instead of|disable|forbidden|wrong)\b/gi;

const isDenial = (text: string): boolean => (text.match(NEGATION)?.length ?? 0) % 2 === 1;
