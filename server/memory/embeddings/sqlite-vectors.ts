import type { Database } from "../../../db/database.ts";
import { statementsOn } from "../../../db/statements.ts";
import type { VectorStore } from "../store/store.ts";
import { createVectorReads, toBytes } from "./vector-reads.ts";

export const createSqliteVectors = (db: Database): VectorStore => ({
  ...createVectorReads(statementsOn(db)),
  put: (model, vectors) =>
    db.write(() => {
      for (const { seq, vector } of vectors)
        // The learning may be gone by now.
        db.run("INSERT OR REPLACE INTO memory_vectors SELECT seq, ?, ? FROM memory_learnings WHERE seq = ?", [
          model,
          toBytes(vector),
          seq,
        ]);
    }),
  // One process has this database: there is nobody else.
  watch: async () => async () => {},
});
