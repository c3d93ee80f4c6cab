import type { Statements } from "../../../db/statements.ts";
import type { Learning } from "./learning.ts";
import { LEARNING_COLUMNS, type LearningRow, toLearning } from "./learning-row.ts";
import type { LearningStore, ListFilter } from "./store.ts";
import { filtered, visible } from "./where.ts";

/** What single statements read of learnings, the same on both databases. */
export const createLearningReads = (db: Statements, now: () => number) =>
  ({
    find: async (id, visibility) => {
      const where = visible(visibility, { now: now(), first: 2 });
      const row = await db.get<LearningRow>(
        `SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE id = $1 AND ${where.sql}`,
        [id, ...where.values],
      );
      return row && toLearning(row);
    },
    list: async (filter, { limit, offset }) => {
      const { sql, values } = filtered(filter, { now: now() });
      const [rows, counted] = await Promise.all([
        db.all<LearningRow>(
          `SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE ${sql} ORDER BY seq DESC LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
          [...values, limit, offset],
        ),
        db.get<{ total: number }>(`SELECT count(*) AS total FROM memory_learnings WHERE ${sql}`, values),
      ]);
      return { learnings: rows.map(toLearning), total: counted?.total ?? 0 };
    },
    each: (filter) => each(db, filter, now),
    countByScope: async (visibility) => {
      const { sql, values } = visible(visibility, { now: now() });
      const rows = await db.all<{ scope: string; count: number }>(
        `SELECT scope, count(*) AS count FROM memory_learnings WHERE ${sql} GROUP BY scope`,
        values,
      );
      return Object.fromEntries(rows.map(({ scope, count }) => [scope, count]));
    },
    summary: async (visibility) => {
      const { sql, values } = visible(visibility, { now: now() });
      return toSummary(
        await db.all<SummaryRow>(
          `SELECT type, count(*) AS count, sum(confidence) AS confidence FROM memory_learnings WHERE ${sql} GROUP BY type`,
          values,
        ),
      );
    },
  }) satisfies Partial<LearningStore>;

const BATCH = 500;

async function* each(db: Statements, filter: ListFilter, now: () => number): AsyncGenerator<Learning> {
  let after = 0;
  for (;;) {
    const { sql, values } = filtered(filter, { now: now(), first: 2 });
    const rows = await db.all<LearningRow>(
      `SELECT ${LEARNING_COLUMNS} FROM memory_learnings WHERE seq > $1 AND ${sql} ORDER BY seq LIMIT ${BATCH}`,
      [after, ...values],
    );
    for (const row of rows) yield toLearning(row);
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < BATCH) return;
  }
}

/** How many learnings of a type there are, and their confidences added up. */
type SummaryRow = { type: string; count: number; confidence: number };

const toSummary = (rows: readonly SummaryRow[]) => {
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const confidence = rows.reduce((sum, row) => sum + row.confidence, 0);
  return {
    total,
    averageConfidence: total === 0 ? 0 : confidence / total,
    byType: Object.fromEntries(rows.map(({ type, count }) => [type, count])),
  };
};
