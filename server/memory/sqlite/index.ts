import type { Database } from "../../../db/database.ts";
import { ANALYSIS_VERSION } from "../analysis/analysis-version.ts";
import { analyzeLearning, type AnalyzedLearning, fieldTerms } from "../analysis/analyze.ts";
import type { Learning, Visibility } from "../store/learning.ts";
import { createPartitions } from "./partitions.ts";
import { createPostings } from "./postings.ts";
import { type LearningRow, toLearning } from "../store/learning-row.ts";
import { visible } from "../store/where.ts";
import { createTermCounts } from "./terms.ts";
import { type Indexed, inUnits, type LearningSearch } from "../store/store.ts";

const MAX_CACHED = 16_000;

export type LearningIndex = LearningSearch & {
  /** inside a transaction */
  insert: (learning: Learning) => void;
  remove: (learning: Learning) => void;
  /** after a row changed without its texts */
  refresh: (seq: number) => void;
  load: (seqs: readonly number[]) => Indexed[];
  /** after a transaction that failed */
  forget: () => void;
  rebuildIfOutdated: () => void;
};

export const createLearningIndex = (db: Database, now: () => number): LearningIndex => {
  const terms = createTermCounts(db);
  const cache = new Map<number, Indexed>();
  const partitions = createPartitions(db);
  const postings = createPostings(db);

  const remember = (entry: Indexed): Indexed => {
    cache.delete(entry.learning.seq);
    cache.set(entry.learning.seq, entry);
    const oldest = cache.keys().next().value;
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
    return entry;
  };

  const load = (seqs: readonly number[]): Indexed[] => {
    const missing = seqs.filter((seq) => !cache.has(seq));
    if (missing.length > 0)
      for (const row of db.all<LearningRow>(
        "SELECT * FROM memory_learnings WHERE seq IN (SELECT value FROM json_each(?))",
        [JSON.stringify(missing)],
      )) {
        const learning = toLearning(row);
        remember({ learning, analyzed: analyzeLearning(learning) });
      }
    return seqs.map((seq) => cache.get(seq)).filter((entry) => entry !== undefined);
  };

  const insertAnalyzed = (learning: Learning, analyzed: AnalyzedLearning): void => {
    const { trigger, learning: rest } = fieldTerms(analyzed);
    db.run("INSERT INTO memory_index (rowid, trigger, learning) VALUES (?, ?, ?)", [
      learning.seq,
      trigger.join(" "),
      rest.join(" "),
    ]);
    terms.count(analyzed, 1);
    postings.add(learning.seq, { terms: analyzed.terms, trigger });
  };

  const index: LearningIndex = {
    totals: async () => terms.totals(),
    documentsWith: async (asked) => terms.documentsWith(asked),
    bySeq: async (seqs, visibility) =>
      seqs.length === 0 ? [] : load(visibleSeqs(db, seqs, { visibility, now: now() })),
    similarTerms: async (term) => terms.similarTerms(term),
    candidates: async (asked, { visibility, types, minConfidence = 0, limit }) => {
      if (asked.length === 0) return [];
      const ofPartition = partitions.filterFor(visibility, types);
      const unsure = minConfidence > 0 ? belowConfidence(db, minConfidence) : undefined;
      const found = postings.best(
        asked.map(({ term, rarity }) => ({ term, rarity: inUnits(rarity) })),
        {
          limit,
          isVisible: unsure ? (seq) => !unsure.has(seq) && (ofPartition?.(seq) ?? true) : ofPartition,
        },
      );
      const at = now();
      return load(found).filter(({ learning }) => isVisible(learning, visibility, at));
    },
    insert: (learning) => {
      const analyzed = analyzeLearning(learning);
      insertAnalyzed(learning, analyzed);
      partitions.add(learning);
      remember({ learning, analyzed });
    },
    remove: (learning) => {
      db.run("DELETE FROM memory_index WHERE rowid = ?", [learning.seq]);
      const analyzed = analyzeLearning(learning);
      terms.count(analyzed, -1);
      postings.remove(learning.seq, { terms: analyzed.terms, trigger: fieldTerms(analyzed).trigger });
      partitions.remove(learning);
      cache.delete(learning.seq);
    },
    refresh: (seq) => {
      cache.delete(seq);
    },
    load,
    forget: () => {
      terms.forget();
      cache.clear();
      partitions.forget();
      postings.forget();
    },
    rebuildIfOutdated: () => rebuildIfOutdated(db, index, insertAnalyzed),
  };
  return index;
};

const belowConfidence = (db: Database, confidence: number): Set<number> =>
  new Set(
    db
      .all<{ seq: number }>("SELECT seq FROM memory_learnings WHERE confidence < ?", [confidence])
      .map(({ seq }) => seq),
  );

const isVisible = (learning: Learning, { scopes, project }: Visibility, now: number): boolean =>
  (scopes === "all" || scopes.includes(learning.scope)) &&
  (project === undefined || learning.project === undefined || learning.project === project) &&
  (learning.expiresAt === undefined || learning.expiresAt > now);

const rebuildIfOutdated = (
  db: Database,
  index: LearningIndex,
  insert: (learning: Learning, analyzed: AnalyzedLearning) => void,
): void => {
  const known = db.get<{ value: string }>(
    "SELECT value FROM memory_settings WHERE name = 'analysis_version'",
  );
  if (known?.value === String(ANALYSIS_VERSION)) return;
  db.transaction(() => {
    db.exec(
      "DELETE FROM memory_index; DELETE FROM memory_terms; DELETE FROM memory_spellings; UPDATE memory_totals SET documents = 0, trigger_length = 0, learning_length = 0",
    );
    index.forget();
    const rows = db.all<{ seq: number }>("SELECT seq FROM memory_learnings ORDER BY seq");
    for (const { seq } of rows)
      for (const { learning, analyzed } of index.load([seq])) insert(learning, analyzed);
    db.run("INSERT OR REPLACE INTO memory_settings VALUES ('analysis_version', ?)", [
      String(ANALYSIS_VERSION),
    ]);
  });
};

/** The visible ones of some learnings, by a query and not from memory. */
const visibleSeqs = (
  db: Database,
  seqs: readonly number[],
  { visibility, now }: { visibility: Visibility; now: number },
): number[] => {
  const where = visible(visibility, { now, first: 2 });
  return db
    .all<{ seq: number }>(
      `SELECT seq FROM memory_learnings WHERE seq IN (SELECT value FROM json_each($1)) AND ${where.sql}`,
      [JSON.stringify(seqs), ...where.values],
    )
    .map(({ seq }) => seq);
};
