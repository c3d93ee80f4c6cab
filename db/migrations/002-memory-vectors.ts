import { inBoth, type Migration } from "./migration.ts";

/** Vectors of learnings, each with the model that made it: vectors of two models are never compared. */
export const memoryVectors: Migration = {
  number: 2,
  name: "memory-vectors",
  ...inBoth(
    ({ integer, bytes }) => `
CREATE TABLE memory_vectors (
  seq ${integer} PRIMARY KEY REFERENCES memory_learnings (seq) ON DELETE CASCADE,
  model TEXT NOT NULL,
  vector ${bytes} NOT NULL
);
CREATE INDEX memory_vectors_by_model ON memory_vectors (model);
`,
  ),
};
