import type { Aliases } from "./aliases.ts";
import { type Token, tokenize } from "./tokens.ts";

/** A learning as the scorer sees it: what is said of its terms stands in lists beside them. */
export type AnalyzedLearning = {
  /** its distinct terms in order of first mention: those of the trigger, then those of the rest */
  terms: readonly string[];
  /** how many of them the trigger has */
  triggerTerms: number;
  /** how often each of the terms stands in the trigger, and in the rest */
  inTrigger: readonly number[];
  inLearning: readonly number[];
  /** whether each of the trigger's terms is a part of a compound already counted as a whole */
  isPart: readonly boolean[];
  triggerLength: number;
  learningLength: number;
  /** those of the terms with a digit, sorted: ids, versions, ports, markers */
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
  /** the compounds that it is a part of, if it stands in no other place; a learning that has one has the part */
  wholes: readonly string[];
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
  const places = new Map<string, number>();
  const inTrigger = countTerms(triggerTokens, places);
  const triggerTerms = places.size;
  const inLearning = countTerms(bodyTokens, places);
  const terms = [...places.keys()];
  const parts = new Set(triggerTokens.filter(({ kind }) => kind === "part").map(({ term }) => term));
  return {
    terms,
    triggerTerms,
    inTrigger: terms.map((_, at) => inTrigger[at] ?? 0),
    inLearning: terms.map((_, at) => inLearning[at] ?? 0),
    isPart: terms.slice(0, triggerTerms).map((term) => parts.has(term)),
    triggerLength: triggerTokens.length,
    learningLength: bodyTokens.length,
    numbers: terms.filter((term) => /\d/.test(term)).sort(),
    denies: isDenial(learning),
  };
};

/** How often the term of each place occurs; a new term gets the next place. */
const countTerms = (tokens: readonly Token[], places: Map<string, number>): number[] => {
  const counts: number[] = [];
  for (const { term } of tokens) {
    let at = places.get(term);
    if (at === undefined) places.set(term, (at = places.size));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
};

/** The terms of the trigger, and those of the rest (which may have some in common). */
export const fieldTerms = ({
  terms,
  triggerTerms,
  inLearning,
}: AnalyzedLearning): { trigger: readonly string[]; learning: readonly string[] } => ({
  trigger: terms.slice(0, triggerTerms),
  learning: terms.filter((_, at) => inLearning[at] !== 0),
});

/** Every distinct term of a context. */
export const analyzeContext = (text: string, aliases: Aliases): Concept[] => {
  const concepts = new Map<string, Concept>();
  for (const { term, kind, wholes = [] } of tokenize(text)) {
    const known = concepts.get(term);
    if (known) {
      known.count += 1;
      if (wholes.length === 0 || known.wholes.length === 0) known.wholes = [];
      else known.wholes = [...known.wholes, ...wholes];
    } else concepts.set(term, { term, kind, count: 1, others: aliases.get(term) ?? [], wholes });
  }
  return [...concepts.values()];
};

const NEGATION =
  /\b(?:not|never|no longer|avoid|stop|don'?t|doesn'?t|must ?n'?t|should ?n'?t|cannot|can'?t|won'?t|isn'?t|without|instead of|disable|forbidden|wrong)\b/gi;

const isDenial = (text: string): boolean => (text.match(NEGATION)?.length ?? 0) % 2 === 1;
