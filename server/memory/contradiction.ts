import type { AnalyzedLearning } from "./analysis/analyze.ts";

const SAME_TRIGGER = 0.75;
const SAME_SUBJECT = 0.4;

/**
 * Whether two learnings about the same trigger say opposite things: the same subject, one of them denied.
 * Learnings whose ids, versions or numbers differ are about different things and never contradict.
 */
export const contradicts = (a: AnalyzedLearning, b: AnalyzedLearning): boolean =>
  overlap(a.trigger, b.trigger) >= SAME_TRIGGER &&
  sameNumbers(a, b) &&
  overlap(a.learning, b.learning) >= SAME_SUBJECT &&
  a.denies !== b.denies;

const overlap = (a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number => {
  let common = 0;
  for (const term of a.keys()) if (b.has(term)) common += 1;
  return common / Math.max(1, a.size + b.size - common);
};

const sameNumbers = (a: AnalyzedLearning, b: AnalyzedLearning): boolean =>
  a.numbers.length === b.numbers.length && a.numbers.every((term, at) => term === b.numbers[at]);
