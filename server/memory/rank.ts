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

/** A concept with what does not depend on the learning it is compared with. */
export type Weighed = Concept & { factor: number; rarity: number; isKnown: boolean };

export const weighConcepts = (
  concepts: readonly Concept[],
  corpus: Corpus,
  { partFactor }: RankingParameters = RANKING,
): Weighed[] =>
  concepts.map((concept) => {
    const factor = concept.kind === "part" ? partFactor : 1;
    const isKnown = corpus.documentsWith(concept.term) > 0;
    return { ...concept, factor, rarity: corpus.rarityOf(concept.term) * factor, isKnown };
  });

/** The relevance of one learning to a context: a plain function, whatever engine found the candidate. */
export const scoreLearning = (
  concepts: readonly Weighed[],
  doc: AnalyzedLearning,
  { corpus, parameters = RANKING }: { corpus: Corpus; parameters?: RankingParameters },
): Relevance => {
  const matches: Match[] = [];
  const mentioned = new Map<string, number>();
  let sum = 0;
  let evidence = 0;
  let contextRarity = 0;
  for (const concept of concepts) {
    const { factor, rarity: own } = concept;
    const best = bestMatch(concept, doc, { corpus, parameters });
    // A word that no learning has is half a sign that the context is about something else.
    contextRarity += best || concept.isKnown ? own : own * UNKNOWN_FACTOR;
    if (!best) continue;
    const weight = best.weight * factor * (1 + 0.2 * Math.log(concept.count));
    sum += weight;
    evidence += best.rarity * factor;
    mentioned.set(best.found, Math.max(mentioned.get(best.found) ?? 0, best.factor));
    matches.push({ term: concept.term, found: best.found, field: best.field, weight });
  }
  const triggerCoverage = coverageOf(doc, mentioned, corpus, parameters.partFactor);
  const breadth = 1 + parameters.coverageBonus * Math.max(0, Math.min(matches.length, 12) - 1);
  return {
    score: sum * breadth * (1 + parameters.triggerCoverageBonus * triggerCoverage),
    matches: matches.sort((a, b) => b.weight - a.weight),
    triggerCoverage,
    contextCoverage: contextRarity === 0 ? 0 : Math.min(1, evidence / contextRarity),
    evidence,
  };
};

type Best = { found: string; factor: number; rarity: number; weight: number; field: Match["field"] };

const bestMatch = (
  concept: Concept,
  doc: AnalyzedLearning,
  context: { corpus: Corpus; parameters: RankingParameters },
): Best | undefined => {
  let best = matchOf(concept.term, 1, doc, context);
  for (const { term, factor } of concept.others) {
    const other = matchOf(term, factor, doc, context);
    if (other && (!best || other.weight > best.weight)) best = other;
  }
  return best;
};

const matchOf = (
  term: string,
  factor: number,
  doc: AnalyzedLearning,
  { corpus, parameters }: { corpus: Corpus; parameters: RankingParameters },
): Best | undefined => {
  if (!doc.terms.has(term)) return undefined;
  const inTrigger = doc.trigger.get(term) ?? 0;
  const inLearning = doc.learning.get(term) ?? 0;
  const { k1, bTrigger, bLearning, triggerWeight, learningWeight } = parameters;
  const frequency =
    (triggerWeight * inTrigger) / norm(bTrigger, doc.triggerLength, corpus.averageTriggerLength) +
    (learningWeight * inLearning) / norm(bLearning, doc.learningLength, corpus.averageLearningLength);
  const rare = corpus.rarityOf(term) * factor;
  return {
    found: term,
    factor,
    rarity: rare,
    weight: rare * ((frequency * (k1 + 1)) / (frequency + k1)),
    field: inTrigger === 0 ? "learning" : inLearning === 0 ? "trigger" : "both",
  };
};

const norm = (b: number, length: number, average: number): number =>
  1 - b + (b * length) / Math.max(1, average);

const coverageOf = (
  doc: AnalyzedLearning,
  mentioned: ReadonlyMap<string, number>,
  corpus: Corpus,
  partFactor: number,
): number => {
  let whole = 0;
  let found = 0;
  for (const term of doc.trigger.keys()) {
    const weight = corpus.rarityOf(term) * (doc.parts.has(term) ? partFactor : 1);
    whole += weight;
    found += weight * (mentioned.get(term) ?? 0);
  }
  return whole === 0 ? 0 : found / whole;
};
