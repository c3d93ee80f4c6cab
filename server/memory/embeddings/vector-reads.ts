import type { Statements } from "../../../db/statements.ts";
import type { VectorStore } from "../store/store.ts";

export type VectorRow = { seq: number; vector: Uint8Array };

export const toVector = ({ seq, vector }: VectorRow) => ({
  seq,
  vector: new Float32Array(Uint8Array.from(vector).buffer),
});

export const toBytes = (vector: Float32Array): Uint8Array =>
  new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** What is read of the vectors, the same on both databases. */
export const createVectorReads = (db: Statements) =>
  ({
    listSeqs: async (model) =>
      (await db.all<{ seq: number }>("SELECT seq FROM memory_vectors WHERE model = $1", [model])).map(
        ({ seq }) => seq,
      ),
    load: async (model) =>
      (await db.all<VectorRow>("SELECT seq, vector FROM memory_vectors WHERE model = $1", [model])).map(
        toVector,
      ),
    missing: async (model, limit) => {
      const rows = await db.all<{ seq: number; trigger: string; learning: string }>(
        `SELECT seq, trigger, learning FROM memory_learnings AS l
         WHERE NOT EXISTS (SELECT 1 FROM memory_vectors AS v WHERE v.seq = l.seq AND v.model = $1)
         ORDER BY seq DESC LIMIT $2`,
        [model, limit],
      );
      return rows.map(({ seq, trigger, learning }) => ({ seq, text: `${trigger}\n${learning}` }));
    },
  }) satisfies Partial<VectorStore>;
