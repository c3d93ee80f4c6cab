import type { Database } from "../../../db/database.ts";
import type { AnalyzedLearning } from "../analysis/analyze.ts";
import { keptPieces, MAX_COMPARED, nearlyLike, SPELLABLE, trigramsOf } from "../ranking/spelling.ts";
import { LEARNING_TYPES, type Learning, type Link } from "../store/learning.ts";
import { LEARNING_COLUMNS, type LearningRow, toLearning } from "../store/learning-row.ts";
import {
  type AskedTerm,
  type CorpusTotals,
  type Indexed,
  IN_TRIGGER,
  inUnits,
  type LearningSearch,
} from "../store/store.ts";
import { visible } from "../store/where.ts";

/** what is kept at most: numbers of learnings and counts of terms together */
const MAX_KEPT = 4_000_000;

/** The search side: candidates and counts. What was read is kept until a learning comes or goes. */
export const createSearch = (
  db: Database,
  analyze: (learning: Learning) => AnalyzedLearning,
  now: () => number,
): LearningSearch & { forget: () => void } => {
  const counts = new Map<string, number>();
  const having = new Map<string, Having>();
  let kept = 0;
  const forget = (): void => {
    counts.clear();
    having.clear();
    kept = 0;
  };
  const keep = (size: number): void => {
    if (kept > MAX_KEPT) forget();
    kept += size;
  };
  const documentsWith = (terms: readonly string[]): Map<string, number> => {
    const unknown = terms.filter((term) => !counts.has(term));
    keep(unknown.length);
    for (const [term, count] of countsOf(db, unknown)) counts.set(term, count);
    return new Map(terms.map((term) => [term, counts.get(term) ?? 0]));
  };
  const havingOf = (term: string): Having => {
    const known = having.get(term);
    if (known) return known;
    const read = { all: seqsWith(db, "", term), trigger: seqsWith(db, "trigger : ", term) };
    keep(read.all.length + read.trigger.length);
    having.set(term, read);
    return read;
  };
  const toIndexed = (row: LearningRow): Indexed => {
    const learning = toLearning(row);
    return { learning, analyzed: analyze(learning) };
  };
  return {
    forget,
    totals: async () =>
      db.get<CorpusTotals>(
        "SELECT documents, trigger_length AS triggerLength, learning_length AS learningLength FROM memory_totals",
      ) ?? { documents: 0, triggerLength: 0, learningLength: 0 },
    documentsWith: async (terms) => documentsWith(terms),
    similarTerms: async (term) => similarTerms(db, term),
    linksOf: async (seqs) => {
      const list = JSON.stringify(seqs);
      return db.all<Link>(
        `SELECT from_seq AS "from", to_seq AS "to", kind FROM memory_links
         WHERE from_seq IN (SELECT value FROM json_each(?)) OR to_seq IN (SELECT value FROM json_each(?))`,
        [list, list],
      );
    },
    bySeq: async (seqs, visibility) => {
      if (seqs.length === 0) return [];
      const where = visible(visibility, { now: now(), first: 2 });
      return db
        .all<LearningRow>(
          `SELECT ${LEARNING_COLUMNS} FROM (SELECT value FROM json_each($1)) CROSS JOIN memory_learnings ON seq = value WHERE ${where.sql}`,
          [JSON.stringify(seqs), ...where.values],
        )
        .map(toIndexed);
    },
    candidates: async (terms, { visibility, types = LEARNING_TYPES, minConfidence = 0, limit }) => {
      const where = visible(visibility, { now: now(), first: 4 });
      // A cross join goes through the list in its order, and ends as soon as there are enough.
      return db
        .all<LearningRow>(
          `SELECT ${LEARNING_COLUMNS} FROM (SELECT value FROM json_each($1)) CROSS JOIN memory_learnings ON seq = value
           WHERE type IN (SELECT value FROM json_each($2)) AND confidence >= $3 AND ${where.sql} LIMIT ${limit}`,
          [JSON.stringify(bestFirst(terms, havingOf)), JSON.stringify(types), minConfidence, ...where.values],
        )
        .map(toIndexed);
    },
  };
};

/**
 * Every learning that has one of the terms, in the order of `candidates`. FTS5 alone cannot rank here: without the
 * texts (`content=''`) its bm25() is 0 for every row, so `ORDER BY rank` gives the oldest ones.
 */
const bestFirst = (terms: readonly AskedTerm[], havingOf: (term: string) => Having): number[] => {
  const sums = new Map<number, number>();
  const add = (seqs: readonly number[], weight: number): void => {
    for (const seq of seqs) sums.set(seq, (sums.get(seq) ?? 0) + weight);
  };
  for (const { term, rarity } of terms) {
    const { all, trigger } = havingOf(term);
    add(all, inUnits(rarity));
    add(trigger, inUnits(rarity) * (IN_TRIGGER - 1));
  }
  return [...sums].sort((a, b) => b[1] - a[1] || b[0] - a[0]).map(([seq]) => seq);
};

/** the learnings with a term, and those with it in their trigger */
type Having = { all: readonly number[]; trigger: readonly number[] };

const seqsWith = (db: Database, column: "" | "trigger : ", term: string): number[] => {
  const found = db.get<{ seqs: string }>(
    "SELECT json_group_array(rowid) AS seqs FROM memory_index WHERE memory_index MATCH ?",
    // Quoted, a term can be nothing but a term.
    [`${column}"${term.replaceAll('"', "")}"`],
  );
  return JSON.parse(found?.seqs ?? "[]") as number[];
};

/** In how many learnings each of these terms is. */
export const countsOf = (db: Database, terms: readonly string[]): Map<string, number> => {
  const counts = new Map(terms.map((term) => [term, 0]));
  for (const { term, documents } of db.all<{ term: string; documents: number }>(
    "SELECT term, documents FROM memory_terms WHERE term IN (SELECT value FROM json_each(?))",
    [JSON.stringify([...counts.keys()])],
  ))
    counts.set(term, documents);
  return counts;
};

const similarTerms = (db: Database, term: string): string[] => {
  if (!SPELLABLE.test(term)) return [];
  const pieces = keptPieces(term).map((piece) => `(${trigrams(piece)})`);
  const known = db.all<{ term: string }>(
    "SELECT term FROM memory_spellings WHERE memory_spellings MATCH ? LIMIT ?",
    [pieces.join(" OR "), MAX_COMPARED],
  );
  return nearlyLike(
    term,
    known.map((row) => row.term),
  );
};

export const trigrams = (text: string): string =>
  trigramsOf(text)
    .map((three) => `"${three}"`)
    .join(" AND ");
