/** Words that may be a misspelling of another: long enough, and nothing but letters. */
export const SPELLABLE = /^[a-z]{5,24}$/;

/** how many of them are looked at, and taken */
export const MAX_COMPARED = 300;
const MAX_SIMILAR = 3;

/** Those of the known words that this one may be meant to be, the nearest first: on every engine the same. */
export const nearlyLike = (term: string, known: readonly string[]): string[] => {
  const allowed = term.length >= 8 ? 2 : 1;
  return known
    .map((one) => ({ one, edits: editsBetween(term, one, allowed) }))
    .filter(({ edits }) => edits <= allowed)
    .sort((a, b) => a.edits - b.edits || (a.one < b.one ? -1 : 1))
    .slice(0, MAX_SIMILAR)
    .map(({ one }) => one);
};

/**
 * A misspelled word keeps its beginning, its middle or its end: words that have one of these whole are
 * looked at. Few enough to compare letter by letter, and no ranking of thousands.
 */
export const keptPieces = (term: string): string[] => {
  const length = term.length >= 8 ? 4 : 3;
  const middle = Math.floor((term.length - length) / 2);
  return [0, middle, term.length - length].map((start) => term.slice(start, start + length));
};

/** Every three letters in a row. */
export const trigramsOf = (text: string): string[] =>
  Array.from({ length: text.length - 2 }, (_, at) => text.slice(at, at + 3));

/** By how many insertions, deletions, replacements or swaps one word becomes the other; exact up to `allowed`. */
const editsBetween = (a: string, b: string, allowed: number): number => {
  if (Math.abs(a.length - b.length) > allowed) return Infinity;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? Infinity;
};
