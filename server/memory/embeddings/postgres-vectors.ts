import type { Postgres } from "../../db/postgres/postgres.ts";
import type { VectorStore } from "../store.ts";
import { fromBytes, toBytes } from "./vector-bytes.ts";

export const createPostgresVectors = (db: Postgres): VectorStore => ({
  load: async (model) =>
    (
      await db.all<{ seq: number; vector: Uint8Array }>(
        "SELECT seq, vector FROM memory_vectors WHERE model = $1",
        [model],
      )
    ).map(({ seq, vector }) => ({ seq, vector: fromBytes(vector) })),
  missing: (model, limit) =>
    db.all(
      `SELECT seq, trigger || chr(10) || learning AS text FROM memory_learnings AS l
       WHERE NOT EXISTS (SELECT 1 FROM memory_vectors AS v WHERE v.seq = l.seq AND v.model = $1)
       ORDER BY seq DESC LIMIT $2`,
      [model, limit],
    ),
  put: (model, vectors) =>
    db.transaction(async (tx) => {
      for (const { seq, vector } of vectors)
        // The learning may be gone by now.
        await tx.run(
          `INSERT INTO memory_vectors (seq, model, vector)
           SELECT seq, $1, $2 FROM memory_learnings WHERE seq = $3 FOR KEY SHARE
           ON CONFLICT (seq) DO UPDATE SET model = excluded.model, vector = excluded.vector`,
          [model, toBytes(vector), seq],
        );
    }),
});
