import type { Aliases } from "../analysis/aliases.ts";
import { analyzeContext, type Concept } from "../analysis/analyze.ts";
import { strengthOf } from "./evidence.ts";
import { foldNearDuplicates } from "./fold.ts";
import { identifierMatch, knownIdentifiers, wholeFirst } from "./identifiers.ts";
import type { LearningType, Visibility } from "../store/learning.ts";
import { priorOf } from "./priors.ts";
import {
  type Corpus,
  describeCorpus,
  explainScore,
  type Match,
  type Relevance,
  scoreLearning,
  weighContext,
} from "./rank.ts";
import { withOpinion } from "../embeddings/with-opinion.ts";
import type { SecondOpinion } from "../embeddings/second-opinion.ts";
import type { Indexed, LearningSearch } from "../store/store.ts";

export type RetrievePorts = {
  learnings: LearningSearch;
  /** an embeddings model, where the operator has one */
  opinion?: Pick<SecondOpinion, "nearest">;
  aliases: Aliases;
  now: () => number;
};

export type RetrieveQuery = {
  context: string;
  visibility: Visibility;
  minConfidence?: number | undefined;
  types?: readonly LearningType[] | undefined;
  /** how many answers are wanted at most */
  limit?: number | undefined;
  /** whether unknown words may be misspelled ones; default: yes */
  spell?: boolean | undefined;
};

/** One learning that was considered, best first. */
export type Ranked = Indexed & {
  relevance: Relevance;
  prior: number;
  /** relevance and prior together: the sort key */
  score: number;
  strength: number;
  /** what the score is made of; worked out when somebody asks */
  matches: () => Match[];
  /** near-duplicates that this one stands for */
  folded: readonly Indexed[];
};

export type Retrieved = { ranked: Ranked[]; concepts: Concept[]; candidates: number };

/** how many candidates the engine hands to the scorer */
const MAX_CANDIDATES = 80;
/** how many terms of a context the engine searches for: its rarest ones */
const MAX_TERMS = 20;
/** and how many postings they may have together, beyond the first few */
const MAX_POSTINGS = 5000;
const MIN_TERMS = 3;
const MAX_ANSWERS = 60;

const NOBODY: ReadonlyMap<number, number> = new Map();

/** Everything that may fit a context, in order, without any judgement whether it fits well enough. */
export const retrieve = async (ports: RetrievePorts, query: RetrieveQuery): Promise<Retrieved> => {
  const asked = ports.opinion?.nearest(query.context);
  const written = analyzeContext(query.context, ports.aliases);
  const { learnings } = ports;
  const [totals, known] = await Promise.all([learnings.totals(), learnings.documentsWith(termsOf(written))]);
  const { concepts, counts } =
    query.spell === false ? { concepts: written, counts: known } : await spell(learnings, written, known);
  const corpus = describeCorpus(totals, counts);
  const { visibility, types, minConfidence } = query;
  const candidates = await learnings.candidates(
    chooseTerms(concepts, corpus).map((term) => ({ term, rarity: corpus.rarityOf(term) })),
    { visibility, types, minConfidence, limit: MAX_CANDIDATES },
  );
  const question = weighContext(concepts, corpus);
  const identifiers = knownIdentifiers(concepts, question);
  const near = (await asked) ?? NOBODY;
  const found = new Set(candidates.map(({ learning }) => learning.seq));
  const added = await learnings.bySeq(
    [...near.keys()].filter((seq) => !found.has(seq)),
    visibility,
  );
  const now = ports.now();
  const scored = [...candidates, ...added]
    .filter(({ learning }) => learning.confidence >= (minConfidence ?? 0))
    .filter(({ learning }) => types === undefined || types.includes(learning.type))
    .map((entry) => {
      const relevance = scoreLearning(question, entry.analyzed);
      const identifier = identifierMatch(question, identifiers, relevance);
      const prior = priorOf(entry.learning, now);
      const lexical = { score: relevance.score * prior, strength: strengthOf(relevance) };
      return {
        ...entry,
        relevance,
        identifier,
        prior,
        ...withOpinion(lexical, near.get(entry.learning.seq), prior),
      };
    })
    .filter(({ score }) => score > 0);
  const sorted = [...wholeFirst(scored)].sort((a, b) => b.score - a.score || b.learning.seq - a.learning.seq);
  const ranked = foldNearDuplicates(sorted, query.limit ?? MAX_ANSWERS).map(({ kept, folded }) => ({
    ...kept,
    folded,
    matches: () => explainScore(question, kept.analyzed),
  }));
  return { ranked, concepts, candidates: candidates.length + added.length };
};

const MAX_CONCEPTS_TO_SPELL = 40;
const MAX_SPELLED = 3;
const MISSPELLED_FACTOR = 0.6;

const termsOf = (concepts: readonly Concept[]): string[] =>
  concepts.flatMap(({ term, others }) => [term, ...others.map((other) => other.term)]);

type Counts = ReadonlyMap<string, number>;

/** Words of a short context that no learning knows may be misspelled: they also count as their neighbours. */
const spell = async (
  learnings: LearningSearch,
  concepts: Concept[],
  counts: Counts,
): Promise<{ concepts: Concept[]; counts: Counts }> => {
  if (concepts.length > MAX_CONCEPTS_TO_SPELL) return { concepts, counts };
  let left = MAX_SPELLED;
  const spelled: Concept[] = [];
  for (const concept of concepts) {
    const isUnknown = (counts.get(concept.term) ?? 0) === 0 && concept.kind !== "whole";
    const similar = isUnknown && left-- > 0 ? await learnings.similarTerms(concept.term) : [];
    const others = similar.map((term) => ({ term, factor: MISSPELLED_FACTOR }));
    spelled.push(others.length === 0 ? concept : { ...concept, others: [...concept.others, ...others] });
  }
  const added = termsOf(spelled).filter((term) => !counts.has(term));
  if (added.length === 0) return { concepts: spelled, counts };
  return { concepts: spelled, counts: new Map([...counts, ...(await learnings.documentsWith(added))]) };
};

/** The terms worth searching for: rare ones first, until their postings together would cost too much. */
export const chooseTerms = (concepts: readonly Concept[], corpus: Corpus): string[] => {
  const weights = new Map<string, number>();
  for (const { term, kind, count, others } of concepts)
    for (const { term: searched, factor } of [{ term, factor: kind === "part" ? 0.7 : 1 }, ...others]) {
      if (corpus.documentsWith(searched) === 0) continue;
      const weight = corpus.rarityOf(searched) * factor * (1 + 0.2 * Math.log(count));
      weights.set(searched, Math.max(weights.get(searched) ?? 0, weight));
    }
  const chosen: string[] = [];
  let postings = 0;
  for (const [term] of [...weights].sort((a, b) => b[1] - a[1])) {
    postings += corpus.documentsWith(term);
    if (chosen.length >= MAX_TERMS || (chosen.length >= MIN_TERMS && postings > MAX_POSTINGS)) break;
    chosen.push(term);
  }
  return chosen;
};
