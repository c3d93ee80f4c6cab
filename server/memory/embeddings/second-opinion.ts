import type { Embed } from "./embeddings-client.ts";
import type { VectorStore } from "../store/store.ts";

/**
 * What an embeddings model says about a context: for each learning that stands out, by how many standard
 * deviations it is nearer than the average one. The scale is the same for every model.
 */
export type SecondOpinion = {
  nearest: (context: string) => Promise<ReadonlyMap<number, number> | undefined>;
  /** Makes the vectors that are missing; called after writes. */
  catchUp: () => Promise<void>;
  /** Lets go of the vectors of learnings that are gone; called now and then. */
  forgetGone: () => Promise<void>;
  /** Nothing is stored any more. */
  stop: () => Promise<void>;
};

const QUESTION_TIMEOUT_MS = 300;
const INDEXING_TIMEOUT_MS = 30_000;
const BATCH = 32;
const NEAREST = 20;
/** below it a learning does not stand out */
const LEAST_DEVIATION = 2;
/** fewer say nothing about what is usual */
const LEAST_VECTORS = 8;

export const createSecondOpinion = async (
  model: string,
  { embed, vectors }: { embed: Embed; vectors: VectorStore },
): Promise<SecondOpinion> => {
  const known = new Map((await vectors.load(model)).map(({ seq, vector }) => [seq, vector]));
  const stopWatching = await vectors.watch(model, (put) => {
    for (const { seq, vector } of put) known.set(seq, vector);
  });
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  const fill = async (): Promise<void> => {
    for (;;) {
      const missing = await vectors.missing(model, BATCH);
      if (missing.length === 0) return;
      const made = await embed(
        missing.map(({ text }) => text),
        INDEXING_TIMEOUT_MS,
      );
      if (!made || stopped) return;
      const pairs = missing.flatMap(({ seq }, at) => {
        const vector = made[at];
        return vector ? [{ seq, vector }] : [];
      });
      await vectors.put(model, pairs);
      for (const { seq, vector } of pairs) known.set(seq, vector);
    }
  };

  const fillUntilQuiet = async (): Promise<void> => {
    again = false;
    await fill();
    if (again) await fillUntilQuiet();
  };

  const catchUp = async (): Promise<void> => {
    again = true;
    running ??= fillUntilQuiet().finally(() => {
      running = undefined;
    });
    await running;
  };

  return {
    catchUp,
    forgetGone: async () => {
      // Only those known before the question: what is stored meanwhile is not in the answer.
      const before = [...known.keys()];
      const there = new Set(await vectors.listSeqs(model));
      for (const seq of before) if (!there.has(seq)) known.delete(seq);
    },
    stop: async () => {
      stopped = true;
      await stopWatching();
    },
    nearest: async (context) => {
      if (known.size < LEAST_VECTORS) return undefined;
      const [asked] = (await embed([context], QUESTION_TIMEOUT_MS)) ?? [];
      return asked && standOut(asked, known);
    },
  };
};

const standOut = (asked: Float32Array, known: ReadonlyMap<number, Float32Array>): Map<number, number> => {
  const near: { seq: number; similarity: number }[] = [];
  let sum = 0;
  let squares = 0;
  for (const [seq, vector] of known) {
    // A model that was exchanged under the same name has another dimension.
    if (vector.length !== asked.length) continue;
    let similarity = 0;
    for (let at = 0; at < vector.length; at++) similarity += (vector[at] ?? 0) * (asked[at] ?? 0);
    sum += similarity;
    squares += similarity * similarity;
    near.push({ seq, similarity });
  }
  const mean = sum / Math.max(1, near.length);
  const deviation = Math.sqrt(Math.max(1e-9, squares / Math.max(1, near.length) - mean * mean));
  return new Map(
    near
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, NEAREST)
      .map(({ seq, similarity }): [number, number] => [seq, (similarity - mean) / deviation])
      .filter(([, deviations]) => deviations >= LEAST_DEVIATION),
  );
};
