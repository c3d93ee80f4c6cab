import type { Postgres, Queries, Transaction } from "../../../db/postgres/postgres.ts";
import type { AnalyzedLearning } from "../analysis/analyze.ts";
import type { Learning } from "../store/learning.ts";
import { keptPieces, MAX_COMPARED, nearlyLike, SPELLABLE, trigramsOf } from "../ranking/spelling.ts";
import type { CorpusTotals, LearningIndex } from "../store/store.ts";

/** Stands before a term that the trigger has; no term begins with it. */
const IN_TRIGGER_MARK = "^";

/** What the index says of one learning, each of its terms once, as text that PostgreSQL splits at the spaces. */
const indexText = ({ terms, triggerTerms }: AnalyzedLearning): string =>
  terms.map((term, at) => (at < triggerTerms ? IN_TRIGGER_MARK + term : term)).join(" ");

/** Quoted, a term can be nothing but a term. */
export const termQuery = (term: string): string => `'${term.replaceAll(/['\\]/g, "")}'`;
export const triggerQuery = (term: string): string => termQuery(IN_TRIGGER_MARK + term);

/**
 * What the changes of one transaction do to the index. It is written together at its end, in one order: rows that
 * everybody writes are locked briefly, and nobody waits for somebody who waits for him.
 */
export type IndexChanges = LearningIndex & {
  /** takes over what a part of the transaction has changed */
  include: (part: IndexChanges) => void;
  write: (tx: Transaction) => Promise<void>;
  /** by how much each term's count changes */
  terms: ReadonlyMap<string, number>;
  totals: Readonly<CorpusTotals>;
  /** what the index says of each learning that is new or has changed */
  texts: ReadonlyMap<number, string>;
};

export const createIndexChanges = (analyze: (learning: Learning) => AnalyzedLearning): IndexChanges => {
  const terms = new Map<string, number>();
  const texts = new Map<number, string>();
  const totals = { documents: 0, triggerLength: 0, learningLength: 0 };
  const add = (term: string, by: number) => terms.set(term, (terms.get(term) ?? 0) + by);
  const addTotals = (by: number, counted: CorpusTotals): void => {
    totals.documents += by * counted.documents;
    totals.triggerLength += by * counted.triggerLength;
    totals.learningLength += by * counted.learningLength;
  };
  const count = (analyzed: AnalyzedLearning, by: 1 | -1): void => {
    for (const term of analyzed.terms) add(term, by);
    addTotals(by, { documents: 1, ...analyzed });
  };
  return {
    terms,
    totals,
    texts,
    include: (part) => {
      for (const [term, by] of part.terms) add(term, by);
      for (const [seq, text] of part.texts) texts.set(seq, text);
      addTotals(1, part.totals);
    },
    insert: (learning) => {
      const analyzed = analyze(learning);
      count(analyzed, 1);
      texts.set(learning.seq, indexText(analyzed));
    },
    remove: (learning) => count(analyze(learning), -1),
    write: async (tx) => {
      const changed = [...terms].filter(([, by]) => by !== 0).map(([term]) => term);
      const pieces = changed.map((term) => (SPELLABLE.test(term) ? trigramsOf(term).join(" ") : ""));
      const { documents, triggerLength, learningLength } = totals;
      await Promise.all([
        tx.run(WRITE_TEXTS, [[...texts.keys()], [...texts.values()]]),
        tx.run(WRITE_TERMS, [changed, changed.map((term) => terms.get(term) ?? 0), pieces]),
        tx.run("DELETE FROM memory_terms WHERE documents <= 0 AND term = ANY($1::text[])", [
          changed.filter((term) => (terms.get(term) ?? 0) < 0),
        ]),
        tx.run(WRITE_TOTALS, [documents, triggerLength, learningLength]),
      ]);
    },
  };
};

const WRITE_TEXTS = `UPDATE memory_learnings AS stored SET terms = array_to_tsvector(string_to_array(made.terms, ' '))
FROM unnest($1::bigint[], $2::text[]) AS made (seq, terms) WHERE stored.seq = made.seq`;

const WRITE_TERMS = `INSERT INTO memory_terms AS known (term, documents, pieces)
SELECT term, change, CASE WHEN pieces <> '' THEN string_to_array(pieces, ' ') END
FROM unnest($1::text[], $2::integer[], $3::text[]) AS changed (term, change, pieces)
ORDER BY term COLLATE "C"
ON CONFLICT (term) DO UPDATE SET documents = known.documents + excluded.documents`;

const WRITE_TOTALS = `UPDATE memory_totals SET documents = documents + $1,
trigger_length = trigger_length + $2, learning_length = learning_length + $3`;

/**
 * Nothing of this is kept in memory: a term that another server learned a moment ago must be known, and
 * asking for the few hundred of a context is one look into an index each.
 */
export const readTotals = async (db: Queries): Promise<CorpusTotals> =>
  (await db.get<CorpusTotals>(
    'SELECT documents, trigger_length AS "triggerLength", learning_length AS "learningLength" FROM memory_totals',
  )) ?? { documents: 0, triggerLength: 0, learningLength: 0 };

export const readCounts = async (db: Queries, terms: readonly string[]): Promise<Map<string, number>> => {
  const counts = new Map(terms.map((term) => [term, 0]));
  if (terms.length === 0) return counts;
  const rows = await db.all<{ term: string; documents: number }>(
    "SELECT term, documents FROM memory_terms WHERE term = ANY($1::text[]) AND documents > 0",
    [[...counts.keys()]],
  );
  for (const { term, documents } of rows) counts.set(term, documents);
  return counts;
};

export const findSimilarTerms = async (db: Postgres, term: string): Promise<string[]> => {
  if (!SPELLABLE.test(term)) return [];
  const [start, middle, end] = keptPieces(term).map(trigramsOf);
  const rows = await db.all<{ term: string }>(
    `SELECT term FROM memory_terms WHERE pieces IS NOT NULL AND documents > 0
     AND (pieces @> $1::text[] OR pieces @> $2::text[] OR pieces @> $3::text[]) ORDER BY term LIMIT $4`,
    [start ?? [], middle ?? [], end ?? [], MAX_COMPARED],
  );
  return nearlyLike(
    term,
    rows.map((row) => row.term),
  );
};
