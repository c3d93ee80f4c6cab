import type { Relevance } from "./rank.ts";

/**
 * How strongly a context asks for a learning, from 0 to 1. The score orders learnings among themselves;
 * this says whether even the best of them has to do with the context at all, and so it must not depend on
 * what else is stored: the share of the trigger that the context mentions, the share of the context that
 * the learning mentions, and how much rare matter the two have in common.
 * The weights are a logistic regression (bench/retrieval-strength.ts): contexts with their learning against contexts
 * without one, which are those of the set asked of a store that lacks their learning, and commit messages, real
 * prompts and questions about other things.
 */
export const strengthOf = ({ triggerCoverage, contextCoverage, evidence, found }: Relevance): number => {
  if (found.length === 0) return 0;
  const common = evidence / (evidence + HALF_EVIDENCE);
  return 1 / (1 + Math.exp(13.9 - 4.7 * triggerCoverage - 7.1 * contextCoverage - 13.7 * common));
};

export const HALF_EVIDENCE = 9;

/** What `/inject` asks for at least; lower finds more and is wrong more often (docs/memory.md has the curve). */
export const DEFAULT_MIN_STRENGTH = 0.45;

/** Beside a strong best answer, much weaker ones are noise. */
export const RELATIVE_TO_BEST = 0.45;
