import type { AnalyzedLearning, Concept } from "../analysis/analyze.ts";
import { BACKGROUND_SHARES } from "../analysis/background-words.ts";
import { COMMON_WORDS } from "../analysis/stop-words.ts";
import { stem } from "../analysis/tokens.ts";

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
  /** what it counts of that in a learning that has the whole compound, which says the same once more */
  impliedFactor: number;
  /** added per further separate concept found, relative to the sum */
  coverageBonus: number;
  /** share of the trigger that the context mentions, as a factor 1 + this x share */
  triggerCoverageBonus: number;
};

export const RANKING: RankingParameters = {
  k1: 1,
  bTrigger: 0.3,
  bLearning: 0.4,
  triggerWeight: 1,
  learningWeight: 1,
  partFactor: 0.7,
  impliedFactor: 0.5,
  coverageBonus: 0.06,
  triggerCoverageBonus: 0.35,
};

/** Why a learning was found: one concept of the context, the term of the learning, and its weight. */
export type Match = { term: string; found: string; field: "trigger" | "learning" | "both"; weight: number };

export type Relevance = {
  /** the sort key before priors */
  score: number;
  /** how many distinct concepts of the context were found */
  matchCount: number;
  /** share (0..1) of the trigger's rarity that the context mentions */
  triggerCoverage: number;
  /** share (0..1) of the context's rarity that the learning mentions */
  contextCoverage: number;
  /** summed rarity of the distinct concepts found */
  evidence: number;
};

const UNKNOWN_FACTOR = 0.5;
const COMMON_STEMS = new Set([...COMMON_WORDS].map(stem));
/**
 * A small store says little about which words are rare, so every store is seen before a background of so many
 * notes, in which a word is as common as in what developers write elsewhere.
 */
const BACKGROUND_DOCUMENTS = 1500;
const COMMON_SHARE = 0.05;

const backgroundShareOf = (term: string): number =>
  Math.max(COMMON_STEMS.has(term) ? COMMON_SHARE : 0, BACKGROUND_SHARES.get(term) ?? 0);

export const describeCorpus = (
  totals: { documents: number; triggerLength: number; learningLength: number },
  counts: ReadonlyMap<string, number>,
): Corpus => {
  const documentsWith = (term: string) => counts.get(term) ?? 0;
  return {
    documents: totals.documents,
    averageTriggerLength: totals.triggerLength / Math.max(1, totals.documents),
    averageLearningLength: totals.learningLength / Math.max(1, totals.documents),
    documentsWith,
    rarityOf: (term) => rarityIn(totals.documents, documentsWith(term), backgroundShareOf(term)),
  };
};

const rarityIn = (documents: number, withTerm: number, backgroundShare: number): number => {
  const all = documents + BACKGROUND_DOCUMENTS;
  const having = withTerm + BACKGROUND_DOCUMENTS * backgroundShare;
  return Math.log(1 + (all - having + 0.5) / (having + 0.5));
};

/** A context, weighed once for all the learnings it is compared with. */
export type Question = {
  concepts: readonly Weighed[];
  /** for a term, the concepts that it is a mention of */
  byTerm: ReadonlyMap<string, Mentioned>;
  /** rarity of the whole context */
  rarity: number;
  /** rarity of a term of a learning that the context does not have */
  rarityOfOther: (term: string) => number;
  corpus: Corpus;
  parameters: RankingParameters;
  best: Best;
};

type Weighed = {
  term: string;
  factor: number;
  rarity: number;
  emphasis: number;
  isKnown: boolean;
  /** the concepts of the compounds that this one is a part of */
  wholes: readonly number[];
  /** rarity of the rarest such compound that some learning has; Infinity where there is none */
  rarityOfWhole: number;
};
type Mentioned = { rarity: number; concepts: { at: number; factor: number }[] };

export const weighContext = (
  concepts: readonly Concept[],
  corpus: Corpus,
  parameters: RankingParameters = RANKING,
): Question => {
  const byTerm = new Map<string, Mentioned>();
  const mention = (term: string, at: number, factor: number): Mentioned => {
    let mentioned = byTerm.get(term);
    if (!mentioned) byTerm.set(term, (mentioned = { rarity: corpus.rarityOf(term), concepts: [] }));
    mentioned.concepts.push({ at, factor });
    return mentioned;
  };
  const compounds = new Map<string, number>();
  for (const [at, { term, kind }] of concepts.entries()) if (kind === "whole") compounds.set(term, at);
  let rarity = 0;
  const weighed = concepts.map(({ term, kind, count, others, wholes }, at): Weighed => {
    const factor = kind === "part" ? parameters.partFactor : 1;
    const isKnown = corpus.documentsWith(term) > 0;
    const own = mention(term, at, 1).rarity * factor;
    // A word that no learning has is half a sign that the context is about something else.
    rarity += isKnown ? own : own * UNKNOWN_FACTOR;
    for (const other of others) mention(other.term, at, other.factor);
    return {
      term,
      factor,
      rarity: own,
      emphasis: factor * (1 + 0.2 * Math.log(count)),
      isKnown,
      wholes: wholes.map((whole) => compounds.get(whole) ?? -1),
      rarityOfWhole: rarestKnown(wholes, corpus),
    };
  });
  return {
    concepts: weighed,
    byTerm,
    rarity,
    rarityOfOther: (term) => rarityIn(corpus.documents, 0, backgroundShareOf(term)),
    corpus,
    parameters,
    best: createBest(concepts.length),
  };
};

const rarestKnown = (wholes: readonly string[], { documentsWith, rarityOf }: Corpus): number =>
  wholes.reduce((most, term) => (documentsWith(term) > 0 ? Math.max(most, rarityOf(term)) : most), 0) ||
  Infinity;

/** For each concept the heaviest mention in one learning: rewritten for each, so that scoring makes no garbage. */
type Best = {
  weight: Float64Array;
  rarity: Float64Array;
  factor: Float64Array;
  /** place of the term among the learning's */
  place: Int32Array;
  /** the concepts that were found, in order */
  found: Int32Array;
};

const createBest = (concepts: number): Best => ({
  weight: new Float64Array(concepts),
  rarity: new Float64Array(concepts),
  factor: new Float64Array(concepts),
  place: new Int32Array(concepts),
  found: new Int32Array(concepts),
});

/** The relevance of one learning to a context: a plain function, whatever engine found the candidate. */
export const scoreLearning = (question: Question, doc: AnalyzedLearning): Relevance => {
  const { parameters, best, concepts } = question;
  const matchCount = findBest(question, doc);
  let sum = 0;
  let evidence = 0;
  let separate = 0;
  let [contextRarity, likeWhole] = [question.rarity, 0];
  for (let nth = 0; nth < matchCount; nth++) {
    const at = best.found[nth] ?? 0;
    const concept = concepts[at];
    if (!concept) continue;
    likeWhole = Math.max(likeWhole, concept.rarityOfWhole);
    const isNew = !isImplied(concept, best);
    if (isNew) separate += 1;
    sum += (best.weight[at] ?? 0) * concept.emphasis * (isNew ? 1 : parameters.impliedFactor);
    evidence += (best.rarity[at] ?? 0) * concept.factor;
    if (!concept.isKnown) contextRarity += concept.rarity * (1 - UNKNOWN_FACTOR);
  }
  const triggerCoverage = coverageOf(question, doc, matchCount);
  const breadth = 1 + parameters.coverageBonus * Math.max(0, Math.min(separate, 12) - 1);
  // One thing in common, an identifier with its parts, say, does not tell whether the trigger was meant.
  const triggerBonus = separate > 1 ? parameters.triggerCoverageBonus * triggerCoverage : 0;
  const score = sum * breadth * (1 + triggerBonus);
  return {
    // With nothing in common but parts of a compound that others have whole, it stays behind those, in its order.
    score: 1 / (1 / score + 1 / (parameters.impliedFactor * likeWhole)),
    matchCount,
    triggerCoverage,
    contextCoverage: contextRarity === 0 ? 0 : Math.min(1, evidence / contextRarity),
    evidence,
  };
};

/** Whether a learning has this part of a compound because it has the whole. */
const isImplied = ({ wholes }: Weighed, best: Best): boolean =>
  wholes.some((whole) => (best.weight[whole] ?? 0) > 0);

/** What the score of a learning is made of, the heaviest first. */
export const explainScore = (question: Question, doc: AnalyzedLearning): Match[] => {
  const matchCount = findBest(question, doc);
  const { found, weight, place } = question.best;
  return Array.from(found.subarray(0, matchCount), (at): Match => {
    const concept = question.concepts[at];
    const { term = "", emphasis = 0 } = concept ?? {};
    const factor = concept && isImplied(concept, question.best) ? question.parameters.impliedFactor : 1;
    const nth = place[at] ?? 0;
    return {
      term,
      found: doc.terms[nth] ?? "",
      field: !doc.inTrigger[nth] ? "learning" : doc.inLearning[nth] ? "both" : "trigger",
      weight: (weight[at] ?? 0) * emphasis * factor,
    };
  }).sort((a, b) => b.weight - a.weight);
};

/** Fills `question.best`; over the learning's terms, of which there are fewer. @returns how many were found */
const findBest = ({ byTerm, best, corpus, parameters }: Question, doc: AnalyzedLearning): number => {
  const { weight, rarity, factor, place, found } = best;
  const { k1, bTrigger, bLearning, triggerWeight, learningWeight } = parameters;
  const { terms, inTrigger, inLearning } = doc;
  const triggerNorm = norm(bTrigger, doc.triggerLength, corpus.averageTriggerLength);
  const learningNorm = norm(bLearning, doc.learningLength, corpus.averageLearningLength);
  weight.fill(0);
  let count = 0;
  for (let nth = 0; nth < terms.length; nth++) {
    const mentioned = byTerm.get(terms[nth] ?? "");
    if (mentioned === undefined) continue;
    const frequency =
      (triggerWeight * (inTrigger[nth] ?? 0)) / triggerNorm +
      (learningWeight * (inLearning[nth] ?? 0)) / learningNorm;
    const saturation = (frequency * (k1 + 1)) / (frequency + k1);
    for (const concept of mentioned.concepts) {
      const { at } = concept;
      const rarityHere = mentioned.rarity * concept.factor;
      const weightHere = rarityHere * saturation;
      const weightBefore = weight[at] ?? 0;
      if (weightHere <= weightBefore) continue;
      if (weightBefore === 0) found[count++] = at;
      weight[at] = weightHere;
      rarity[at] = rarityHere;
      factor[at] = concept.factor;
      place[at] = nth;
    }
  }
  return count;
};

const norm = (b: number, length: number, average: number): number =>
  1 - b + (b * length) / Math.max(1, average);

const coverageOf = (question: Question, doc: AnalyzedLearning, matchCount: number): number => {
  const { best, byTerm, parameters, rarityOfOther } = question;
  const { terms, triggerTerms, isPart } = doc;
  const mentioned = new Float64Array(triggerTerms);
  for (let nth = 0; nth < matchCount; nth++) {
    const at = best.found[nth] ?? 0;
    const place = best.place[at] ?? 0;
    if (place < triggerTerms) mentioned[place] = Math.max(mentioned[place] ?? 0, best.factor[at] ?? 0);
  }
  let whole = 0;
  let covered = 0;
  for (let place = 0; place < triggerTerms; place++) {
    const term = terms[place] ?? "";
    const rarity = byTerm.get(term)?.rarity ?? rarityOfOther(term);
    const weight = rarity * (isPart[place] ? parameters.partFactor : 1);
    whole += weight;
    covered += weight * (mentioned[place] ?? 0);
  }
  return whole === 0 ? 0 : covered / whole;
};
