/** Edits (insert, delete, replace, swap of neighbours) between two short words. */
const distance = (a: string, b: string): number => {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
};

/** The known name that was probably meant; undefined when none is near. */
export const nearestName = (name: string, known: readonly string[]): string | undefined => {
  const wanted = name.toLowerCase();
  const ranked = known
    .map((candidate) => {
      const other = candidate.toLowerCase();
      const isPart = wanted.length > 2 && (other.startsWith(wanted) || wanted.startsWith(other));
      return { candidate, edits: isPart ? 1 : distance(wanted, other) };
    })
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best && best.edits <= Math.max(1, Math.floor(wanted.length / 3)) ? best.candidate : undefined;
};
