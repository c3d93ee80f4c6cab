/** The yardstick: BM25 (k1 1.2, b 0.75) over lower-case words of trigger and learning together. */
export const createPlainBm25 = (texts: readonly string[]): ((query: string, limit: number) => number[]) => {
  const docs = texts.map(words);
  const average = docs.reduce((sum, doc) => sum + doc.length, 0) / Math.max(1, docs.length);
  const documentsWith = new Map<string, number>();
  for (const doc of docs)
    for (const word of new Set(doc)) documentsWith.set(word, (documentsWith.get(word) ?? 0) + 1);
  const counts = docs.map((doc) => {
    const count = new Map<string, number>();
    for (const word of doc) count.set(word, (count.get(word) ?? 0) + 1);
    return count;
  });
  const idf = (word: string): number => {
    const df = documentsWith.get(word) ?? 0;
    return Math.log(1 + (docs.length - df + 0.5) / (df + 0.5));
  };
  return (query, limit) => {
    const asked = words(query);
    return counts
      .map((count, at) => {
        const length = docs[at]?.length ?? 0;
        let score = 0;
        for (const word of asked) {
          const tf = count.get(word) ?? 0;
          if (tf > 0) score += (idf(word) * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * length) / average));
        }
        return { at, score };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ at }) => at);
  };
};

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
