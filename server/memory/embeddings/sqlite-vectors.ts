import type { Database } from "../../../db/database.ts";
import type { VectorStore } from "../store/store.ts";
import { fromBytes, toBytes } from "./vector-bytes.ts";

export const createSqliteVectors = (db: Database): VectorStore => ({
  listSeqs: async (model) =>
    db.all<{ seq: number }>("SELECT seq FROM memory_vectors WHERE model = ?", [model]).map(({ seq }) => seq),
  load: async (model) =>
    db
      .all<{ seq: number; vector: Uint8Array }>("SELECT seq, vector FROM memory_vectors WHERE model = ?", [
        model,
      ])
      .map(({ seq, vector }) => ({ seq, vector: fromBytes(vector) })),
  missing: async (model, limit) =>
    db.all<{ seq: number; text: string }>(
      `SELECT seq, trigger || char(10) || learning AS text FROM memory_learnings AS l
       WHERE NOT EXISTS (SELECT 1 FROM memory_vectors AS v WHERE v.seq = l.seq AND v.model = ?) ORDER BY seq DESC LIMIT ?`,
      [model, limit],
    ),
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
