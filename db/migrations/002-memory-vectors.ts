import type { Migration } from "./migration.ts";

/** Vectors of learnings, each with the model that made it: vectors of two models are never compared. */
export const memoryVectors: Migration = {
  number: 2,
  name: "memory-vectors",
  sqlite: `
CREATE TABLE memory_vectors (
  seq INTEGER PRIMARY KEY REFERENCES memory_learnings (seq) ON DELETE CASCADE,
  model TEXT NOT NULL,
  vector BLOB NOT NULL
);
CREATE INDEX memory_vectors_by_model ON memory_vectors (model);
`,
  postgres: `
CREATE TABLE memory_vectors (
  seq BIGINT PRIMARY KEY REFERENCES memory_learnings (seq) ON DELETE CASCADE,
  model TEXT NOT NULL,
  vector BYTEA NOT NULL
);
CREATE INDEX memory_vectors_by_model ON memory_vectors (model);
`,
};
