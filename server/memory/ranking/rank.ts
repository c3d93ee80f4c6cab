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

// The numbers behind the ranking, tuned on the development half of bench/retrieval-set.
/** saturation of repeated terms */
const K1 = 1;
/** how much a long text is held against it */
const B_TRIGGER = 0.3;
const B_LEARNING = 0.4;
/** what a part of a compound counts, the whole counting 1 */
const PART_FACTOR = 0.7;
/** what it counts of that in a learning that has the whole compound, which says the same once more */
const IMPLIED_FACTOR = 0.5;
/** added per further separate concept found, relative to the sum */
const COVERAGE_BONUS = 0.06;
/** share of the trigger that the context mentions, as a factor 1 + this x share */
const TRIGGER_COVERAGE_BONUS = 0.35;

/** Why a learning was found: one concept of the context, the term of the learning, and its weight. */
export type Match = { term: string; found: string; field: "trigger" | "learning" | "both"; weight: number };

export type Relevance = {
  /** the sort key before priors */
  score: number;
  /** the concepts of the context that were found, as places among its concepts */
  found: readonly number[];
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

export const weighContext = (concepts: readonly Concept[], corpus: Corpus): Question => {
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
    const factor = kind === "part" ? PART_FACTOR : 1;
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
  };
};

const rarestKnown = (wholes: readonly string[], { documentsWith, rarityOf }: Corpus): number =>
  wholes.reduce((most, term) => (documentsWith(term) > 0 ? Math.max(most, rarityOf(term)) : most), 0) ||
  Infinity;

/** The heaviest mention of a concept in one learning; `place` is that of the term among the learning's. */
type Mention = { weight: number; rarity: number; factor: number; place: number };
type Mentions = ReadonlyMap<number, Mention>;

/** The relevance of one learning to a context: a plain function, whatever engine found the candidate. */
export const scoreLearning = (question: Question, doc: AnalyzedLearning): Relevance => {
  const mentions = findMentions(question, doc);
  let [sum, evidence, separate, likeWhole] = [0, 0, 0, 0];
  let contextRarity = question.rarity;
  for (const [at, { weight, rarity }] of mentions) {
    const concept = question.concepts[at];
    if (!concept) continue;
    likeWhole = Math.max(likeWhole, concept.rarityOfWhole);
    const isNew = !isImplied(concept, mentions);
    if (isNew) separate += 1;
    sum += weight * concept.emphasis * (isNew ? 1 : IMPLIED_FACTOR);
    evidence += rarity * concept.factor;
    if (!concept.isKnown) contextRarity += concept.rarity * (1 - UNKNOWN_FACTOR);
  }
  const triggerCoverage = coverageOf(question, doc, mentions);
  const breadth = 1 + COVERAGE_BONUS * Math.max(0, Math.min(separate, 12) - 1);
  // One thing in common, an identifier with its parts, say, does not tell whether the trigger was meant.
  const triggerBonus = separate > 1 ? TRIGGER_COVERAGE_BONUS * triggerCoverage : 0;
  const score = sum * breadth * (1 + triggerBonus);
  return {
    // With nothing in common but parts of a compound that others have whole, it stays behind those, in its order.
    score: 1 / (1 / score + 1 / (IMPLIED_FACTOR * likeWhole)),
    found: [...mentions.keys()],
    triggerCoverage,
    contextCoverage: contextRarity === 0 ? 0 : Math.min(1, evidence / contextRarity),
    evidence,
  };
};

/** Whether a learning has this part of a compound because it has the whole. */
const isImplied = ({ wholes }: Weighed, mentions: Mentions): boolean =>
  wholes.some((whole) => mentions.has(whole));

/** What the score of a learning is made of, the heaviest first. */
export const explainScore = (question: Question, doc: AnalyzedLearning): Match[] => {
  const mentions = findMentions(question, doc);
  return [...mentions]
    .flatMap(([at, { weight, place }]): Match[] => {
      const concept = question.concepts[at];
      if (!concept) return [];
      const field = !doc.inTrigger[place] ? "learning" : doc.inLearning[place] ? "both" : "trigger";
      const implied = isImplied(concept, mentions) ? IMPLIED_FACTOR : 1;
      const found = doc.terms[place] ?? "";
      return [{ term: concept.term, found, field, weight: weight * concept.emphasis * implied }];
    })
    .sort((a, b) => b.weight - a.weight);
};

const findMentions = ({ byTerm, corpus }: Question, doc: AnalyzedLearning): Mentions => {
  const mentions = new Map<number, Mention>();
  const triggerNorm = norm(B_TRIGGER, doc.triggerLength, corpus.averageTriggerLength);
  const learningNorm = norm(B_LEARNING, doc.learningLength, corpus.averageLearningLength);
  for (const [place, term] of doc.terms.entries()) {
    const mentioned = byTerm.get(term);
    if (mentioned === undefined) continue;
    const frequency = (doc.inTrigger[place] ?? 0) / triggerNorm + (doc.inLearning[place] ?? 0) / learningNorm;
    const saturation = (frequency * (K1 + 1)) / (frequency + K1);
    for (const { at, factor } of mentioned.concepts) {
      const rarity = mentioned.rarity * factor;
      const weight = rarity * saturation;
      if (weight > (mentions.get(at)?.weight ?? 0)) mentions.set(at, { weight, rarity, factor, place });
    }
  }
  return mentions;
};

const norm = (b: number, length: number, average: number): number =>
  1 - b + (b * length) / Math.max(1, average);

const coverageOf = (
  { byTerm, rarityOfOther }: Question,
  doc: AnalyzedLearning,
  mentions: Mentions,
): number => {
  const factors = new Map<number, number>();
  for (const { place, factor } of mentions.values())
    factors.set(place, Math.max(factors.get(place) ?? 0, factor));
  let whole = 0;
  let covered = 0;
  for (const [place, term] of doc.terms.slice(0, doc.triggerTerms).entries()) {
    const rarity = byTerm.get(term)?.rarity ?? rarityOfOther(term);
    const weight = rarity * (doc.isPart[place] ? PART_FACTOR : 1);
    whole += weight;
    covered += weight * (factors.get(place) ?? 0);
  }
  return whole === 0 ? 0 : covered / whole;
};
