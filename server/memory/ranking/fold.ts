import type { AnalyzedLearning } from "../analysis/analyze.ts";

const NEARLY_THE_SAME = 0.75;

type Foldable = { analyzed: AnalyzedLearning };

/**
 * Whether two learnings say nearly the same, and not the opposite: most of their words in common, and every
 * term with a digit (ids, versions, ports, markers) in both.
 */
export const isNearDuplicate = (
  a: AnalyzedLearning,
  b: AnalyzedLearning,
  /** the terms of `a`, where a caller compares it with many */
  termsOfA: () => ReadonlySet<string> = () => new Set(a.terms),
): boolean => {
  if (a.denies !== b.denies || a.numbers.length !== b.numbers.length) return false;
  // |common| / |union| >= t  <=>  |common| >= t / (1 + t) x (|a| + |b|); most pairs miss too often at once.
  const needed = (NEARLY_THE_SAME / (1 + NEARLY_THE_SAME)) * (a.terms.length + b.terms.length);
  let missesLeft = b.terms.length - needed;
  if (missesLeft < 0 || a.terms.length < needed) return false;
  const terms = termsOfA();
  for (const term of b.terms) if (!terms.has(term) && --missesLeft < 0) return false;
  return a.numbers.every((term, at) => term === b.numbers[at]);
};

/**
 * Keeps the first of each group of near-duplicates, with the others behind it, until there are `limit`
 * groups; what comes after them is not looked at.
 */
export const foldNearDuplicates = <T extends Foldable>(
  ranked: readonly T[],
  limit: number,
): { kept: T; folded: T[] }[] => {
  const groups: { kept: T; folded: T[]; terms: () => ReadonlySet<string> }[] = [];
  for (const one of ranked) {
    const group = groups.find(({ kept, terms }) => isNearDuplicate(kept.analyzed, one.analyzed, terms));
    if (group) group.folded.push(one);
    else if (groups.length < limit) groups.push({ kept: one, folded: [], terms: termsOnce(one.analyzed) });
    else break;
  }
  return groups;
};

const termsOnce = ({ terms }: AnalyzedLearning): (() => ReadonlySet<string>) => {
  let known: ReadonlySet<string> | undefined;
  return () => (known ??= new Set(terms));
};
