import type { Migration } from "./migration.ts";

/** Learnings, their search index, and what belongs to them. Times are milliseconds since the epoch. */
export const memory: Migration = {
  number: 1,
  name: "memory",
  sqlite: `
CREATE TABLE memory_learnings (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('learning', 'failure', 'state')),
  trigger TEXT NOT NULL,
  learning TEXT NOT NULL,
  alternative TEXT,
  reason TEXT,
  source TEXT,
  confidence REAL NOT NULL,
  scope TEXT NOT NULL,
  project TEXT,
  marker TEXT,
  writer TEXT NOT NULL,
  merge_key TEXT NOT NULL,
  writers INTEGER NOT NULL DEFAULT 1,
  helpful REAL NOT NULL DEFAULT 0,
  harmful REAL NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  verified_at INTEGER NOT NULL,
  expires_at INTEGER
);
CREATE INDEX memory_by_merge_key ON memory_learnings (merge_key);
CREATE INDEX memory_by_expiry ON memory_learnings (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_by_marker ON memory_learnings (marker) WHERE marker IS NOT NULL;
CREATE INDEX memory_by_partition ON memory_learnings (scope, project);
CREATE VIRTUAL TABLE memory_index USING fts5 (
  trigger, learning, part,
  content='', contentless_delete=1, detail='column',
  tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
);
INSERT INTO memory_index (memory_index, rank) VALUES ('rank', 'bm25(1.6, 1.0, 0.0)');
CREATE TABLE memory_totals (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  documents INTEGER NOT NULL, trigger_length INTEGER NOT NULL, learning_length INTEGER NOT NULL
);
INSERT INTO memory_totals VALUES (1, 0, 0, 0);
CREATE TABLE memory_terms (term TEXT PRIMARY KEY, documents INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE memory_spellings USING fts5 (term, detail='none', tokenize='trigram');
CREATE TABLE memory_links (
  from_seq INTEGER NOT NULL REFERENCES memory_learnings (seq) ON DELETE CASCADE,
  to_seq INTEGER NOT NULL REFERENCES memory_learnings (seq) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('supersedes', 'contradicts', 'fixes')),
  PRIMARY KEY (from_seq, to_seq, kind)
) WITHOUT ROWID;
CREATE INDEX memory_links_back ON memory_links (to_seq);
CREATE TABLE memory_journal (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  writer TEXT NOT NULL,
  learning_seq INTEGER NOT NULL,
  before TEXT
);
CREATE INDEX memory_journal_by_writer ON memory_journal (writer, at);
CREATE INDEX memory_journal_by_time ON memory_journal (at);
CREATE INDEX memory_journal_by_learning ON memory_journal (learning_seq);
CREATE TABLE memory_idempotency (
  writer TEXT NOT NULL, key TEXT NOT NULL, request TEXT NOT NULL, learning_id TEXT NOT NULL,
  at INTEGER NOT NULL, PRIMARY KEY (writer, key)
) WITHOUT ROWID;
CREATE INDEX memory_idempotency_by_time ON memory_idempotency (at);
CREATE TABLE memory_outcomes (
  receipt TEXT PRIMARY KEY, outcome TEXT NOT NULL, helpful REAL NOT NULL, harmful REAL NOT NULL,
  learnings TEXT NOT NULL, writer TEXT NOT NULL, at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX memory_outcomes_by_writer ON memory_outcomes (writer, at);
CREATE TABLE memory_states (
  project TEXT NOT NULL, revision INTEGER NOT NULL, status TEXT NOT NULL, state TEXT NOT NULL,
  updated_by TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (project, revision)
) WITHOUT ROWID;
CREATE TABLE memory_handoffs (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, handoff TEXT NOT NULL, writer TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
);
CREATE INDEX memory_handoffs_by_time ON memory_handoffs (updated_at);
CREATE TABLE memory_keys (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, writer TEXT NOT NULL UNIQUE, access TEXT NOT NULL,
  scopes TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE TABLE memory_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`,
};
