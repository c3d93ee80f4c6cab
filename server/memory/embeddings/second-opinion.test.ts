import { expect, test } from "vitest";
import { createSecondOpinion } from "./second-opinion.ts";

const COUNT = 20;
const unit = (at: number): Float32Array =>
  Float32Array.from({ length: COUNT }, (_, nth) => (nth === at ? 1 : 0));

test("what is gone from the store has no say any more, and what comes meanwhile does", async () => {
  const stored = new Map(Array.from({ length: COUNT }, (_, seq) => [seq, unit(seq)]));
  let onListed = (): void => {};
  const opinion = await createSecondOpinion("model", {
    embed: async (texts) => texts.map((text) => unit(Number(text))),
    vectors: {
      load: async () => [...stored].map(([seq, vector]) => ({ seq, vector })),
      listSeqs: async () => {
        const seqs = [...stored.keys()];
        onListed();
        return seqs;
      },
      missing: async () => [],
      put: async () => {},
      watch: async (_model, onPut) => {
        // Another server stores one just after the list was read.
        onListed = () => {
          stored.set(COUNT, unit(2));
          onPut([{ seq: COUNT, vector: unit(2) }]);
        };
        return async () => {};
      },
    },
  });
  const nearest = async (text: string) => [...((await opinion.nearest(text)) ?? new Map()).keys()];
  expect(await nearest("3")).toEqual([3]);
  stored.delete(3);
  await opinion.forgetGone();
  expect(await nearest("3")).toEqual([]);
  expect((await nearest("2")).toSorted((a, b) => a - b)).toEqual([2, COUNT]);
});
