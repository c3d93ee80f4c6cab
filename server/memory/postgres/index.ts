import type { Postgres, Transaction } from "../../../db/postgres/postgres.ts";
import { ANALYSIS_VERSION } from "../analysis/analysis-version.ts";
import { type AnalyzedLearning, analyzeLearning } from "../analysis/analyze.ts";
import { LEARNING_TYPES, type Learning, type Link } from "../store/learning.ts";
import { LEARNING_COLUMNS, type LearningRow, toLearning } from "../store/learning-row.ts";
import { type Indexed, IN_TRIGGER, inUnits, type LearningSearch } from "../store/store.ts";
import { visible } from "../store/where.ts";
import {
  createIndexChanges,
  findSimilarTerms,
  readCounts,
  readTotals,
  termQuery,
  triggerQuery,
} from "./terms.ts";

/** The search side: candidates and counts, always read from the database. */
export const createPostgresSearch = (
  db: Postgres,
  analyze: (learning: Learning) => AnalyzedLearning,
  now: () => number,
): LearningSearch => {
  const toIndexed = (row: LearningRow): Indexed => {
    const learning = toLearning(row);
    return { learning, analyzed: analyze(learning) };
  };
  return {
    totals: () => readTotals(db),
    documentsWith: (terms) => readCounts(db, terms),
    similarTerms: (term) => findSimilarTerms(db, term),
    linksOf: (seqs) =>
      db.all<Link>(
        `SELECT from_seq AS "from", to_seq AS "to", kind FROM memory_links
         WHERE from_seq = ANY($1::bigint[]) OR to_seq = ANY($1::bigint[])
         ORDER BY from_seq, to_seq, kind COLLATE "C"`,
        [seqs],
      ),
    bySeq: async (seqs, visibility) => {
      if (seqs.length === 0) return [];
      const where = visible(visibility, { now: now(), first: 2 });
      const rows = await db.all<LearningRow>(
        `SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE seq = ANY($1::bigint[]) AND ${where.sql}
         ORDER BY array_position($1::bigint[], seq)`,
        [seqs, ...where.values],
      );
      return rows.map(toIndexed);
    },
    candidates: async (terms, { visibility, types = LEARNING_TYPES, minConfidence = 0, limit }) => {
      if (terms.length === 0) return [];
      const where = visible(visibility, { now: now(), first: 6 });
      const rows = await db.all<LearningRow>(
        `${ASKED}, best AS MATERIALIZED (
           SELECT seq, sum(weight) AS worth FROM asked CROSS JOIN LATERAL (${HAVING_TERM}) AS found
           WHERE type = ANY($4::text[]) AND confidence >= $5 AND ${where.sql}
           GROUP BY seq ORDER BY worth DESC, seq DESC LIMIT $3
         ) SELECT ${LEARNING_COLUMNS} FROM best JOIN memory_learnings USING (seq) ORDER BY worth DESC, seq DESC`,
        [
          terms.flatMap(({ term }) => [termQuery(term), triggerQuery(term)]),
          terms.flatMap(({ rarity }) => [inUnits(rarity), inUnits(rarity) * IN_TRIGGER]),
          limit,
          types,
          minConfidence,
          ...where.values,
        ],
      );
      return rows.map(toIndexed);
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
  "SELECT seq, scope, project, type, confidence, expires_at FROM memory_learnings WHERE terms @@ asked.query OFFSET 0";

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
      `SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE seq > $1 ORDER BY seq LIMIT ${REBUILD_BATCH}`,
      [after],
    );
    const changes = createIndexChanges(analyzeLearning);
    for (const row of rows) changes.insert(toLearning(row));
    await changes.write(tx);
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < REBUILD_BATCH) return;
  }
};
