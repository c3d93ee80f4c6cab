import type { AnalyzedLearning } from "./analysis/analyze.ts";

const NEARLY_THE_SAME = 0.75;

type Foldable = { analyzed: AnalyzedLearning };

/**
 * Whether two learnings say nearly the same, and not the opposite: most of their words in common, and every term with a digit
 * (ids, versions, ports, markers) in both.
 */
export const isNearDuplicate = (a: AnalyzedLearning, b: AnalyzedLearning): boolean => {
  if (a.denies !== b.denies) return false;
  const ours = termsOf(a);
  const theirs = termsOf(b);
  let common = 0;
  for (const term of ours) if (theirs.has(term)) common += 1;
  if (common / (ours.size + theirs.size - common) < NEARLY_THE_SAME) return false;
  return (
    [...ours].every((term) => !/\d/.test(term) || theirs.has(term)) &&
    [...theirs].every((term) => !/\d/.test(term) || ours.has(term))
  );
};

const termsOf = ({ trigger, learning }: AnalyzedLearning): Set<string> =>
  new Set([...trigger.keys(), ...learning.keys()]);

/** Keeps the first of each group of near-duplicates, with the others behind it. */
export const foldNearDuplicates = <T extends Foldable>(ranked: readonly T[]): { kept: T; folded: T[] }[] => {
  const groups: { kept: T; folded: T[] }[] = [];
  for (const one of ranked) {
    const group = groups.find(({ kept }) => isNearDuplicate(kept.analyzed, one.analyzed));
    if (group) group.folded.push(one);
    else groups.push({ kept: one, folded: [] });
  }
  return groups;
};
