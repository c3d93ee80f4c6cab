import type { Relevance } from "./rank.ts";

/**
 * How strongly a context asks for a learning, from 0 to 1. The score orders learnings among themselves;
 * this says whether even the best of them has to do with the context at all, and so it must not depend on
 * what else is stored: the share of the trigger that the context mentions, the share of the context that
 * the learning mentions, how much rare matter the two have in common, and in how many separate words.
 * The weights are a logistic regression over the development half of bench/retrieval-set.
 */
export const strengthOf = ({ triggerCoverage, contextCoverage, evidence, matchCount }: Relevance): number => {
  if (matchCount === 0) return 0;
  const common = evidence / (evidence + HALF_EVIDENCE);
  const breadth = Math.min(matchCount, ENOUGH_MATCHES) / ENOUGH_MATCHES;
  const sum = -7.5 + 2.4 * triggerCoverage + 3.4 * contextCoverage + 2.5 * common + 5 * breadth;
  return 1 / (1 + Math.exp(-sum));
};

const HALF_EVIDENCE = 9;
const ENOUGH_MATCHES = 4;

/** What `/inject` asks for at least; lower finds more and is wrong more often (docs/memory.md has the curve). */
export const DEFAULT_MIN_STRENGTH = 0.3;

/** Beside a strong best answer, much weaker ones are noise. */
export const RELATIVE_TO_BEST = 0.45;
