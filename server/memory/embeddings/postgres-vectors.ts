import type { Postgres } from "../../../db/postgres/postgres.ts";
import type { VectorStore } from "../store/store.ts";
import { createVectorReads, toBytes, toVector, type VectorRow } from "./vector-reads.ts";

const CHANNEL = "nightshift_memory_vectors";

type Put = { model: string; seqs: number[] };
const loadSome = async (db: Postgres, { model, seqs }: Put) =>
  (
    await db.all<VectorRow>(
      "SELECT seq, vector FROM memory_vectors WHERE model = $1 AND seq = ANY($2::bigint[])",
      [model, seqs],
    )
  ).map(toVector);

export const createPostgresVectors = (db: Postgres): VectorStore => {
  const reads = createVectorReads(db);
  return {
    ...reads,
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
        const put: Put = { model, seqs: vectors.map(({ seq }) => seq) };
        await tx.notify(CHANNEL, JSON.stringify(put));
      }),
    watch: async (model, onPut) => {
      // What cannot be read now is read when the connection is there again: that is a gap, too.
      const tell = (vectors: Promise<Parameters<typeof onPut>[0]>) => {
        vectors.then(onPut, () => {});
      };
      const { stop } = await db.listen(CHANNEL, {
        onMessage: (payload) => {
          const put = JSON.parse(payload) as Put;
          if (put.model === model) tell(loadSome(db, put));
        },
        onGap: () => tell(reads.load(model)),
      });
      return stop;
    },
  };
};
