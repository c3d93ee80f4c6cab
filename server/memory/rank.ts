import type { AnalyzedLearning, Concept } from "./analysis/analyze.ts";
import { COMMON_WORDS } from "./analysis/stop-words.ts";
import { stem } from "./analysis/tokens.ts";

/** What the scorer knows of the whole collection. */
export type Corpus = {
  documents: number;
  averageTriggerLength: number;
  averageLearningLength: number;
  /** in how many learnings a term occurs */
  documentsWith: (term: string) => number;
  /** 0 for a term that is everywhere, about 6 for one found once in a small store */
  rarityOf: (term: string) => number;
};

/** The numbers behind the ranking, tuned on the development half of bench/retrieval-set. */
export type RankingParameters = {
  /** saturation of repeated terms */
  k1: number;
  /** how much a long text is held against it */
  bTrigger: number;
  bLearning: number;
  triggerWeight: number;
  learningWeight: number;
  /** what a part of a compound counts, the whole counting 1 */
  partFactor: number;
  /** added per further distinct concept found, relative to the sum */
  coverageBonus: number;
  /** share of the trigger that the context mentions, as a factor 1 + this x share */
  triggerCoverageBonus: number;
};

export const RANKING: RankingParameters = {
  k1: 1,
  bTrigger: 0.3,
  bLearning: 0.4,
  triggerWeight: 1.6,
  learningWeight: 1,
  partFactor: 0.7,
  coverageBonus: 0.06,
  triggerCoverageBonus: 0.5,
};

/** Why a learning was found: one concept of the context, the term of the learning, and its weight. */
export type Match = { term: string; found: string; field: "trigger" | "learning" | "both"; weight: number };

export type Relevance = {
  /** the sort key before priors */
  score: number;
  matches: Match[];
  /** share (0..1) of the trigger's rarity that the context mentions */
  triggerCoverage: number;
  /** share (0..1) of the context's rarity that the learning mentions */
  contextCoverage: number;
  /** summed rarity of the distinct concepts found */
  evidence: number;
};

const UNKNOWN_FACTOR = 0.5;
const COMMON_STEMS = new Set([...COMMON_WORDS].map(stem));
/** A small store says little about which words are rare, so every store is seen before this background. */
const BACKGROUND_DOCUMENTS = 400;
const BACKGROUND_SHARE = 0.05;

export const describeCorpus = (
  totals: { documents: number; triggerLength: number; learningLength: number },
  counts: ReadonlyMap<string, number>,
): Corpus => {
  const known = new Map<string, number>();
  const documentsWith = (term: string) => counts.get(term) ?? 0;
  const rarityOf = (term: string): number => {
    let rarity = known.get(term);
    if (rarity === undefined)
      known.set(term, (rarity = rarityIn(totals.documents, documentsWith(term), term)));
    return rarity;
  };
  return {
    documents: totals.documents,
    averageTriggerLength: totals.triggerLength / Math.max(1, totals.documents),
    averageLearningLength: totals.learningLength / Math.max(1, totals.documents),
    documentsWith,
    rarityOf,
  };
};

const rarityIn = (documents: number, withTerm: number, term: string): number => {
  const background = COMMON_STEMS.has(term) ? BACKGROUND_DOCUMENTS * BACKGROUND_SHARE : 0;
  const all = documents + BACKGROUND_DOCUMENTS;
  const having = withTerm + background;
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
};

/** A context, weighed once for all the learnings it is compared with. */
export type Question = {
  concepts: readonly Weighed[];
  /** for a term, the concepts that it is a mention of */
  byTerm: ReadonlyMap<string, readonly { at: number; factor: number }[]>;
  /** rarity of the whole context */
  rarity: number;
  corpus: Corpus;
  parameters: RankingParameters;
};

type Weighed = { term: string; factor: number; rarity: number; emphasis: number; isKnown: boolean };

export const weighContext = (
  concepts: readonly Concept[],
  corpus: Corpus,
  parameters: RankingParameters = RANKING,
): Question => {
  const byTerm = new Map<string, { at: number; factor: number }[]>();
  const mention = (term: string, at: number, factor: number): void => {
    const known = byTerm.get(term);
    if (known) known.push({ at, factor });
    else byTerm.set(term, [{ at, factor }]);
  };
  let rarity = 0;
  const weighed = concepts.map(({ term, kind, count, others }, at): Weighed => {
    const factor = kind === "part" ? parameters.partFactor : 1;
    const isKnown = corpus.documentsWith(term) > 0;
    const own = corpus.rarityOf(term) * factor;
    // A word that no learning has is half a sign that the context is about something else.
    rarity += isKnown ? own : own * UNKNOWN_FACTOR;
    mention(term, at, 1);
    for (const other of others) mention(other.term, at, other.factor);
    return { term, factor, rarity: own, emphasis: factor * (1 + 0.2 * Math.log(count)), isKnown };
  });
  return { concepts: weighed, byTerm, rarity, corpus, parameters };
};

type Best = Match & { factor: number; rarity: number };

/** The relevance of one learning to a context: a plain function, whatever engine found the candidate. */
export const scoreLearning = (question: Question, doc: AnalyzedLearning): Relevance => {
  const best = bestMatches(question, doc);
  const { parameters } = question;
  const matches: Match[] = [];
  const mentioned = new Map<string, number>();
  let sum = 0;
  let evidence = 0;
  let contextRarity = question.rarity;
  for (const [at, match] of best) {
    const concept = question.concepts[at];
    if (!concept) continue;
    const weight = match.weight * concept.emphasis;
    sum += weight;
    evidence += match.rarity * concept.factor;
    if (!concept.isKnown) contextRarity += concept.rarity * (1 - UNKNOWN_FACTOR);
    mentioned.set(match.found, Math.max(mentioned.get(match.found) ?? 0, match.factor));
    matches.push({ term: concept.term, found: match.found, field: match.field, weight });
  }
  const triggerCoverage = coverageOf(doc, mentioned, question);
  const breadth = 1 + parameters.coverageBonus * Math.max(0, Math.min(matches.length, 12) - 1);
  return {
    score: sum * breadth * (1 + parameters.triggerCoverageBonus * triggerCoverage),
    matches: matches.sort((a, b) => b.weight - a.weight),
    triggerCoverage,
    contextCoverage: contextRarity === 0 ? 0 : Math.min(1, evidence / contextRarity),
    evidence,
  };
};

/** For each concept the heaviest mention; over the learning's terms, of which there are fewer. */
const bestMatches = ({ byTerm, corpus, parameters }: Question, doc: AnalyzedLearning): Map<number, Best> => {
  const best = new Map<number, Best>();
  for (const term of doc.terms) {
    const mentions = byTerm.get(term);
    if (!mentions) continue;
    const saturation = saturationOf(term, doc, { corpus, parameters });
    for (const { at, factor } of mentions) {
      const rarity = corpus.rarityOf(term) * factor;
      const weight = rarity * saturation;
      if (weight > (best.get(at)?.weight ?? 0))
        best.set(at, { term, found: term, field: fieldOf(term, doc), factor, rarity, weight });
    }
  }
  return best;
};

const fieldOf = (term: string, doc: AnalyzedLearning): Match["field"] =>
  !doc.trigger.has(term) ? "learning" : doc.learning.has(term) ? "both" : "trigger";

const saturationOf = (
  term: string,
  doc: AnalyzedLearning,
  { corpus, parameters }: Pick<Question, "corpus" | "parameters">,
): number => {
  const { k1, bTrigger, bLearning, triggerWeight, learningWeight } = parameters;
  const frequency =
    (triggerWeight * (doc.trigger.get(term) ?? 0)) /
      norm(bTrigger, doc.triggerLength, corpus.averageTriggerLength) +
    (learningWeight * (doc.learning.get(term) ?? 0)) /
      norm(bLearning, doc.learningLength, corpus.averageLearningLength);
  return (frequency * (k1 + 1)) / (frequency + k1);
};

const norm = (b: number, length: number, average: number): number =>
  1 - b + (b * length) / Math.max(1, average);

const coverageOf = (
  doc: AnalyzedLearning,
  mentioned: ReadonlyMap<string, number>,
  { corpus, parameters }: Question,
): number => {
  let whole = 0;
  let found = 0;
  for (const term of doc.trigger.keys()) {
    const weight = corpus.rarityOf(term) * (doc.parts.has(term) ? parameters.partFactor : 1);
    whole += weight;
    found += weight * (mentioned.get(term) ?? 0);
  }
  return whole === 0 ? 0 : found / whole;
};
