import type { Postgres } from "../../../db/postgres/postgres.ts";
import type { VectorStore } from "../store/store.ts";
import { fromBytes, toBytes } from "./vector-bytes.ts";

const CHANNEL = "nightshift_memory_vectors";

type Row = { seq: number; vector: Uint8Array };
type Put = { model: string; seqs: number[] };
const toVector = ({ seq, vector }: Row) => ({ seq, vector: fromBytes(vector) });

const load = async (db: Postgres, model: string) =>
  (await db.all<Row>("SELECT seq, vector FROM memory_vectors WHERE model = $1", [model])).map(toVector);

const loadSome = async (db: Postgres, { model, seqs }: Put) =>
  (
    await db.all<Row>("SELECT seq, vector FROM memory_vectors WHERE model = $1 AND seq = ANY($2::bigint[])", [
      model,
      seqs,
    ])
  ).map(toVector);

export const createPostgresVectors = (db: Postgres): VectorStore => ({
  listSeqs: async (model) =>
    (await db.all<{ seq: number }>("SELECT seq FROM memory_vectors WHERE model = $1", [model])).map(
      ({ seq }) => seq,
    ),
  load: (model) => load(db, model),
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
      onGap: () => tell(load(db, model)),
    });
    return stop;
  },
});
