import { createHash } from "node:crypto";
import type { Database } from "../db/database.ts";
import { analyzeLearning, type AnalyzedLearning } from "./analysis/analyze.ts";
import type { Learning, Visibility } from "./learning.ts";
import { type LearningRow, toLearning, visible } from "./sqlite-rows.ts";
import { createTermCounts } from "./sqlite-terms.ts";
import type { Indexed, LearningSearch } from "./store.ts";

/** Raise it with every change of the analysis: an older index is then made again at the next start. */
const ANALYSIS_VERSION = 1;
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
  let partitions: Map<string, Partition> | undefined;

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

  const currentPartitions = (): Map<string, Partition> =>
    (partitions ??= new Map(
      db
        .all<Partition>(
          "SELECT scope, project, count(*) AS count FROM memory_learnings GROUP BY scope, project",
        )
        .map((partition) => [partitionKey(partition), partition]),
    ));

  const countPartition = (learning: Learning, by: 1 | -1): void => {
    const all = currentPartitions();
    const partition = { scope: learning.scope, project: learning.project ?? null };
    const known = all.get(partitionKey(partition)) ?? { ...partition, count: 0 };
    known.count += by;
    if (known.count > 0) all.set(partitionKey(partition), known);
    else all.delete(partitionKey(partition));
  };

  const insertAnalyzed = (learning: Learning, analyzed: AnalyzedLearning): void => {
    db.run("INSERT INTO memory_index (rowid, trigger, learning, part) VALUES (?, ?, ?, ?)", [
      learning.seq,
      indexText(analyzed.trigger),
      indexText(analyzed.learning),
      `${scopeToken(learning.scope)} ${projectToken(learning.project ?? null)}`,
    ]);
    terms.count(analyzed, 1);
  };

  const index: LearningIndex = {
    totals: async () => terms.totals(),
    documentsWith: async (asked) => terms.documentsWith(asked),
    bySeq: async (seqs, visibility) =>
      seqs.length === 0 ? [] : load(visibleSeqs(db, seqs, { visibility, now: now() })),
    similarTerms: async (term) => terms.similarTerms(term),
    candidates: async (asked, { visibility, limit }) => {
      if (asked.length === 0) return [];
      // Where every match fits into the limit the engine need not rank: the scorer does.
      let postings = 0;
      for (const count of terms.documentsWith(asked).values()) postings += count;
      const order = postings > limit ? "ORDER BY rank" : "";
      const found = db.all<{ rowid: number }>(
        `SELECT rowid FROM memory_index WHERE memory_index MATCH ? ${order} LIMIT ?`,
        [matchQuery(asked, visibility, currentPartitions()), limit],
      );
      const at = now();
      return load(found.map(({ rowid }) => rowid)).filter(({ learning }) =>
        isVisible(learning, visibility, at),
      );
    },
    insert: (learning) => {
      const analyzed = analyzeLearning(learning);
      insertAnalyzed(learning, analyzed);
      countPartition(learning, 1);
      remember({ learning, analyzed });
    },
    remove: (learning) => {
      db.run("DELETE FROM memory_index WHERE rowid = ?", [learning.seq]);
      terms.count(analyzeLearning(learning), -1);
      countPartition(learning, -1);
      cache.delete(learning.seq);
    },
    refresh: (seq) => {
      cache.delete(seq);
    },
    load,
    forget: () => {
      terms.forget();
      cache.clear();
      partitions = undefined;
    },
    rebuildIfOutdated: () => rebuildIfOutdated(db, index, insertAnalyzed),
  };
  return index;
};

type Partition = { scope: string; project: string | null; count: number };

const partitionKey = ({ scope, project }: { scope: string; project: string | null }): string =>
  JSON.stringify([scope, project]);

const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
const scopeToken = (scope: string): string => `scope_${shortHash(scope)}`;
const projectToken = (project: string | null): string =>
  project === null ? "project_none" : `project_${shortHash(project)}`;

const indexText = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([term, count]) => Array.from({ length: count }, () => term).join(" ")).join(" ");

// Terms are letters, digits and "_" by construction; quoted they can be nothing but terms.
const anyOf = (terms: readonly string[]): string =>
  terms.map((term) => `"${term.replaceAll('"', "")}"`).join(" OR ");

/** The filter is part of the search, so that a limit never cuts what a caller may see; left out when it would hide nothing. */
const matchQuery = (
  terms: readonly string[],
  { scopes, project }: Visibility,
  partitions: ReadonlyMap<string, Partition>,
): string => {
  // No column is named for the terms: the tokens of `part` are hashes, which no text is analyzed into.
  const parts = [`(${anyOf(terms)})`];
  const all = [...partitions.values()];
  if (scopes !== "all" && all.some(({ scope }) => !scopes.includes(scope)))
    parts.push(`(${anyOf(scopes.length === 0 ? ["scope_none"] : scopes.map(scopeToken))})`);
  if (project !== undefined && all.some((one) => one.project !== null && one.project !== project))
    parts.push(`(${anyOf([projectToken(null), projectToken(project)])})`);
  return parts.join(" AND ");
};

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
  const where = visible(visibility, now);
  return db
    .all<{ seq: number }>(
      `SELECT seq FROM memory_learnings WHERE seq IN (SELECT value FROM json_each(?)) AND ${where.sql}`,
      [JSON.stringify(seqs), ...where.values],
    )
    .map(({ seq }) => seq);
};
