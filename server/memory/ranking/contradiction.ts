import { type AnalyzedLearning, fieldTerms } from "../analysis/analyze.ts";

const SAME_TRIGGER = 0.75;
const SAME_SUBJECT = 0.4;

/**
 * Whether two learnings about the same trigger say opposite things: the same subject, one of them denied.
 * Learnings whose ids, versions or numbers differ are about different things and never contradict.
 */
export const contradicts = (a: AnalyzedLearning, b: AnalyzedLearning): boolean => {
  if (a.denies === b.denies || !sameNumbers(a, b)) return false;
  const [one, other] = [fieldTerms(a), fieldTerms(b)];
  return (
    overlap(one.trigger, other.trigger) >= SAME_TRIGGER &&
    overlap(one.learning, other.learning) >= SAME_SUBJECT
  );
};

const overlap = (a: readonly string[], b: readonly string[]): number => {
  const all = new Set([...a, ...b]).size;
  return (a.length + b.length - all) / Math.max(1, all);
};

const sameNumbers = (a: AnalyzedLearning, b: AnalyzedLearning): boolean =>
  a.numbers.length === b.numbers.length && a.numbers.every((term, at) => term === b.numbers[at]);
