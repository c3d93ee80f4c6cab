import type { Migration } from "./migration.ts";

/**
 * The search index without the column of scopes and without a rank: which learnings may be seen is known in
 * memory, and FTS5's bm25() is 0 for an index that keeps no texts. It is filled again at the next start.
 */
export const memoryIndex: Migration = {
  number: 3,
  name: "memory-index",
  sqlite: `
DROP TABLE memory_index;
CREATE VIRTUAL TABLE memory_index USING fts5 (
  trigger, learning,
  content='', contentless_delete=1, detail='column',
  tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
);
DELETE FROM memory_settings WHERE name = 'analysis_version';
`,
  // PostgreSQL's index never had them.
  postgres: "",
};
