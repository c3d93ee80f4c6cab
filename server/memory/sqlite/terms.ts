import type { Database } from "../../../db/database.ts";
import type { AnalyzedLearning } from "../analysis/analyze.ts";
import { keptPieces, MAX_COMPARED, nearlyLike, SPELLABLE, trigramsOf } from "../ranking/spelling.ts";
import type { CorpusTotals } from "../store/store.ts";

/** How often terms occur, kept beside the index: exact, and without walking its postings. */
export type TermCounts = {
  totals: () => CorpusTotals;
  documentsWith: (terms: readonly string[]) => ReadonlyMap<string, number>;
  similarTerms: (term: string) => string[];
  /** inside a transaction: counts a learning in (1) or out (-1) */
  count: (analyzed: AnalyzedLearning, by: 1 | -1) => void;
  /** forgets what is remembered, after a transaction that failed */
  forget: () => void;
};

const MAX_CACHED = 200_000;
const BATCH = 64;

export const createTermCounts = (db: Database): TermCounts => {
  const cache = new Map<string, number>();
  let totals: CorpusTotals | undefined;

  const load = (terms: readonly string[]): void => {
    if (cache.size + terms.length > MAX_CACHED) cache.clear();
    const unknown = terms.filter((term) => !cache.has(term));
    for (let at = 0; at < unknown.length; at += BATCH) {
      const batch = unknown.slice(at, at + BATCH);
      // One statement for every length: missing places ask for a term that cannot be.
      const values = [...batch, ...Array.from({ length: BATCH - batch.length }, () => "")];
      for (const term of batch) cache.set(term, 0);
      for (const row of db.all<{ term: string; documents: number }>(SELECT_COUNTS, values))
        cache.set(row.term, row.documents);
    }
  };

  const currentTotals = (): CorpusTotals =>
    (totals ??= db.get<CorpusTotals>(
      "SELECT documents, trigger_length AS triggerLength, learning_length AS learningLength FROM memory_totals",
    ) ?? { documents: 0, triggerLength: 0, learningLength: 0 });

  /** One statement for all terms of a learning: calls into the engine are what costs. */
  const addAll = (terms: readonly string[]): void => {
    db.run(
      `INSERT INTO memory_terms SELECT value, 1 FROM json_each(?) WHERE true
       ON CONFLICT (term) DO UPDATE SET documents = documents + 1`,
      [JSON.stringify(terms)],
    );
    const fresh = terms.filter((term) => (cache.get(term) ?? 0) === 0 && SPELLABLE.test(term));
    if (fresh.length > 0)
      db.run("INSERT INTO memory_spellings (term) SELECT value FROM json_each(?)", [JSON.stringify(fresh)]);
    for (const term of terms) cache.set(term, (cache.get(term) ?? 0) + 1);
  };

  const removeAll = (terms: readonly string[]): void => {
    const list = JSON.stringify(terms);
    db.run(
      "UPDATE memory_terms SET documents = documents - 1 WHERE term IN (SELECT value FROM json_each(?))",
      [list],
    );
    const last = terms.filter((term) => (cache.get(term) ?? 0) <= 1);
    for (const term of terms) cache.set(term, Math.max(0, (cache.get(term) ?? 0) - 1));
    if (last.length === 0) return;
    db.run("DELETE FROM memory_terms WHERE documents <= 0 AND term IN (SELECT value FROM json_each(?))", [
      list,
    ]);
    for (const term of last.filter((one) => SPELLABLE.test(one)))
      db.run(
        "DELETE FROM memory_spellings WHERE rowid IN (SELECT rowid FROM memory_spellings WHERE memory_spellings MATCH ? AND term = ?)",
        [trigrams(term), term],
      );
  };

  return {
    totals: currentTotals,
    documentsWith: (terms) => {
      load(terms);
      return new Map(terms.map((term) => [term, cache.get(term) ?? 0]));
    },
    similarTerms: (term) => {
      if (!SPELLABLE.test(term)) return [];
      const known = db
        .all<{ term: string }>("SELECT term FROM memory_spellings WHERE memory_spellings MATCH ? LIMIT ?", [
          keptPieces(term)
            .map((piece) => `(${trigrams(piece)})`)
            .join(" OR "),
          MAX_COMPARED,
        ])
        .map((row) => row.term);
      return nearlyLike(term, known);
    },
    count: (analyzed, by) => {
      const { terms } = analyzed;
      load(terms);
      if (by > 0) addAll(terms);
      else removeAll(terms);
      const { documents, triggerLength, learningLength } = currentTotals();
      totals = {
        documents: documents + by,
        triggerLength: triggerLength + by * analyzed.triggerLength,
        learningLength: learningLength + by * analyzed.learningLength,
      };
      db.run("UPDATE memory_totals SET documents = ?, trigger_length = ?, learning_length = ?", [
        totals.documents,
        totals.triggerLength,
        totals.learningLength,
      ]);
    },
    forget: () => {
      cache.clear();
      totals = undefined;
    },
  };
};

const SELECT_COUNTS = `SELECT term, documents FROM memory_terms WHERE term IN (${Array.from({ length: BATCH }, () => "?").join(",")})`;

const trigrams = (text: string): string =>
  trigramsOf(text)
    .map((three) => `"${three}"`)
    .join(" AND ");
