import type { Postgres, Transaction } from "../../../db/postgres/postgres.ts";
import { ANALYSIS_VERSION } from "../analysis/analysis-version.ts";
import { analyzeLearning } from "../analysis/analyze.ts";
import { LEARNING_TYPES } from "../store/learning.ts";
import { type LearningRow, toLearning } from "../store/learning-row.ts";
import { COLUMNS } from "./rows.ts";
import { visible } from "../store/where.ts";
import {
  createCountChanges,
  findSimilarTerms,
  indexText,
  readCounts,
  readTotals,
  termQuery,
  triggerQuery,
} from "./terms.ts";
import { type Indexed, inUnits, type LearningSearch } from "../store/store.ts";

const MAX_CACHED = 16_000;
/** what a term in the trigger counts, as a multiple of its rarity */
const IN_TRIGGER = 1.5;

type Found = { seq: number; revision: number };

/** The search side: candidates and counts from PostgreSQL, analyzed learnings from memory where they are still so. */
export const createPostgresSearch = (db: Postgres, now: () => number): LearningSearch => {
  const cache = new Map<number, Indexed & { revision: number }>();

  const remember = (row: LearningRow & { revision: number }): void => {
    const learning = toLearning(row);
    cache.delete(row.seq);
    cache.set(row.seq, { learning, analyzed: analyzeLearning(learning), revision: row.revision });
    const oldest = cache.keys().next().value;
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  };

  /** Whatever changed a learning, on whichever server, gave it another revision: an older one is read again. */
  const load = async (found: readonly Found[]): Promise<Indexed[]> => {
    const missing = found.filter(({ seq, revision }) => cache.get(seq)?.revision !== revision);
    if (missing.length > 0) {
      const rows = await db.all<LearningRow & { revision: number }>(
        `SELECT ${COLUMNS} FROM memory_learnings WHERE seq = ANY($1::bigint[])`,
        [missing.map(({ seq }) => seq)],
      );
      // One that is gone by now must not be told from memory.
      for (const { seq } of missing) cache.delete(seq);
      for (const row of rows) remember(row);
    }
    return found.map(({ seq }) => cache.get(seq)).filter((entry) => entry !== undefined);
  };

  return {
    totals: () => readTotals(db),
    documentsWith: (terms) => readCounts(db, terms),
    similarTerms: (term) => findSimilarTerms(db, term),
    bySeq: async (seqs, visibility) => {
      if (seqs.length === 0) return [];
      const where = visible(visibility, { now: now(), first: 2 });
      const found = await db.all<Found>(
        `SELECT seq, revision FROM memory_learnings WHERE seq = ANY($1::bigint[]) AND ${where.sql}`,
        [seqs, ...where.values],
      );
      const revisions = new Map(found.map(({ seq, revision }) => [seq, revision]));
      return load(
        seqs.flatMap((seq) => {
          const revision = revisions.get(seq);
          return revision === undefined ? [] : [{ seq, revision }];
        }),
      );
    },
    candidates: async (terms, { visibility, types, minConfidence = 0, limit }) => {
      if (terms.length === 0) return [];
      const where = visible(visibility, { now: now(), first: 6 });
      const found = await db.all<Found>(
        `${ASKED} SELECT seq, revision FROM asked CROSS JOIN LATERAL (${HAVING_TERM}) AS found
         WHERE type = ANY($4::text[]) AND confidence >= $5 AND ${where.sql}
         GROUP BY seq, revision ORDER BY sum(weight) DESC, seq DESC LIMIT $3`,
        [
          terms.flatMap(({ term }) => [termQuery(term), triggerQuery(term)]),
          terms.flatMap(({ rarity }) => [inUnits(rarity), inUnits(rarity) * IN_TRIGGER]),
          limit,
          types ?? LEARNING_TYPES,
          minConfidence,
          ...where.values,
        ],
      );
      return load(found);
    },
  };
};

/** Each term, once outside and once in the trigger, with what a learning that has it is worth more. */
const ASKED = `WITH asked AS MATERIALIZED (
  SELECT wanted.query::tsquery AS query, weight
  FROM unnest($1::text[], $2::double precision[]) AS wanted (query, weight)
)`;

/**
 * The learnings with one asked term. Kept apart by OFFSET, so that PostgreSQL looks each term up in its index
 * whatever it believes of tables that it has not analyzed yet, and does not compare every learning with all terms.
 */
const HAVING_TERM =
  "SELECT seq, revision, scope, project, type, confidence, expires_at FROM memory_learnings WHERE terms @@ asked.query OFFSET 0";

const REBUILD_BATCH = 500;

/** Makes the index again where another version's analysis made it: one server does, the others wait. */
export const rebuildIfOutdated = async (db: Postgres): Promise<void> => {
  if (await isUpToDate(db)) return;
  await db.transaction(async (tx) => {
    await tx.exec(
      "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; LOCK TABLE memory_learnings IN SHARE ROW EXCLUSIVE MODE",
    );
    if (await isUpToDate(tx)) return;
    await tx.run("DELETE FROM memory_terms");
    await tx.run("UPDATE memory_totals SET documents = 0, trigger_length = 0, learning_length = 0");
    await rebuild(tx);
    await tx.run(
      `INSERT INTO memory_settings VALUES ('analysis_version', $1)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [String(ANALYSIS_VERSION)],
    );
  });
};

const isUpToDate = async (db: Pick<Postgres, "get">): Promise<boolean> => {
  const known = await db.get<{ value: string }>(
    "SELECT value FROM memory_settings WHERE name = 'analysis_version'",
  );
  return known?.value === String(ANALYSIS_VERSION);
};

const rebuild = async (tx: Transaction): Promise<void> => {
  for (let after = 0; ;) {
    const rows = await tx.all<LearningRow>(
      `SELECT ${COLUMNS} FROM memory_learnings WHERE seq > $1 ORDER BY seq LIMIT ${REBUILD_BATCH}`,
      [after],
    );
    const counts = createCountChanges();
    const texts = rows.map((row) => indexText(counts.add(toLearning(row))));
    await tx.run(
      `UPDATE memory_learnings AS stored SET terms = array_to_tsvector(string_to_array(made.terms, ' '))
       FROM unnest($1::bigint[], $2::text[]) AS made (seq, terms) WHERE stored.seq = made.seq`,
      [rows.map(({ seq }) => seq), texts],
    );
    await counts.write(tx);
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < REBUILD_BATCH) return;
  }
};
