/** A line for each entry, sorted by key. Neither keys nor values may hold a tab or a line break. */
export const packTable = (entries: Iterable<readonly [string, string]>): string => {
  const lines = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => `${key}\t${value}\n`);
  return lines.join("");
};

/**
 * The value of a key, found by halving the text. A process that looks up forty words of some thousands is done
 * before it would have made a map of them.
 */
export const findInTable = (table: string, key: string): string | undefined => {
  let low = 0;
  let high = table.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = Math.max(low, table.lastIndexOf("\n", middle - 1) + 1);
    const tab = table.indexOf("\t", start);
    const here = table.slice(start, tab);
    const end = table.indexOf("\n", tab);
    if (here === key) return table.slice(tab + 1, end);
    if (here < key) low = end + 1;
    else high = start;
  }
  return undefined;
};
