import { findAll, readDoc } from "../../gates/critic/find-flags.ts";
import { eachFeature } from "../../gates/critic/opinion/features.ts";
import { OPINION_RULES, OUTPUTS_OF_A_READER, type Weights } from "../../gates/critic/opinion/opinion.ts";
import { minimise } from "./lbfgs.ts";

/** A labelled action; `tuned` when the rules were written with it in view, so that what they say of it proves nothing. */
export type Example = { text: string; flags: readonly string[]; tuned: boolean };

type Row = { sentences: Uint32Array[]; wanted: boolean[]; weight: number };

const TUNED_WEIGHT = 0.5;
const LEAST_TEXTS = 2;
const REGULARISATION = 1;
const KEPT = 20_000;
const ROUNDS = 80;

const readRow = ({ text, flags, tuned }: Example): Row => {
  const doc = readDoc(text);
  const sets = doc.sentences.map(() => new Set<number>());
  eachFeature(doc, tuned ? [] : findAll(doc), (sentence) => (bucket) => void sets[sentence]?.add(bucket));
  const wanted = OPINION_RULES.map((rule) => flags.includes(rule));
  return {
    sentences: sets.map((set) => Uint32Array.from(set)),
    wanted: [...wanted, wanted.includes(true)],
    weight: tuned ? TUNED_WEIGHT : 1,
  };
};

/** Features of at least two texts get a column; the others say nothing about a third text. */
const numberColumns = (rows: readonly Row[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const { sentences } of rows)
    for (const bucket of new Set(sentences.flatMap((set) => [...set])))
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  const kept = [...counts].filter(([, count]) => count >= LEAST_TEXTS).map(([bucket]) => bucket);
  return new Map(kept.sort((a, b) => a - b).map((bucket, column) => [bucket, column]));
};

const toColumns = (rows: readonly Row[], columns: ReadonlyMap<number, number>): Row[] =>
  rows.map((row) => ({
    ...row,
    sentences: row.sentences.map((set) =>
      Uint32Array.from(
        [...set].flatMap((bucket) => {
          const column = columns.get(bucket);
          return column === undefined ? [] : [column];
        }),
      ),
    ),
  }));

const softplus = (x: number): number => (x > 30 ? x : Math.log1p(Math.exp(x)));

/**
 * A text is a flag when one of its sentences is: 1 - Π (1 - p). Negative log likelihood of the labels, with
 * its gradient, plus the square of the weights.
 */
const fit = (rows: readonly Row[], size: number, output: number): Float64Array =>
  minimise(
    (point, gradient) => {
      let loss = 0;
      for (const { sentences, wanted, weight } of rows) {
        const odds = sentences.map((set) => set.reduce((sum, column) => sum + (point[column] ?? 0), 0));
        const none = Math.max(
          1e-9,
          odds.reduce((sum, x) => sum + softplus(x), 0),
        );
        const some = -Math.expm1(-none);
        loss += weight * (wanted[output] ? -Math.log(some) : none);
        const pull = weight * (wanted[output] ? -Math.exp(-none) / some : 1);
        for (const [i, set] of sentences.entries()) {
          const push = pull / (1 + Math.exp(-(odds[i] ?? 0)));
          for (const column of set) gradient[column] = (gradient[column] ?? 0) + push;
        }
      }
      for (let i = 0; i < size; i += 1) {
        const x = point[i] ?? 0;
        loss += 0.5 * REGULARISATION * x * x;
        gradient[i] = (gradient[i] ?? 0) + REGULARISATION * x;
      }
      return loss;
    },
    size,
    { rounds: ROUNDS },
  );

/** Keeps the features that matter most, each with one byte for every output. */
const quantise = (buckets: readonly number[], fitted: readonly Float64Array[]): Weights => {
  const strength = buckets.map((_, i) => Math.max(...fitted.map((one) => Math.abs(one[i] ?? 0))));
  const least = strength.toSorted((a, b) => b - a)[KEPT] ?? 0;
  const kept = buckets.flatMap((bucket, i) => ((strength[i] ?? 0) > least ? [{ bucket, i }] : []));
  const scale = Math.max(...strength) / 127;
  return {
    buckets: Uint32Array.from(kept.map(({ bucket }) => bucket)),
    weights: Int8Array.from(kept.flatMap(({ i }) => fitted.map((one) => Math.round((one[i] ?? 0) / scale)))),
    scale,
  };
};

/** Learns from labelled actions; the same examples in the same order give the same weights. */
export const train = (examples: readonly Example[]): Weights => {
  const raw = examples.map(readRow).filter(({ sentences }) => sentences.length > 0);
  const columns = numberColumns(raw);
  const apart = toColumns(raw, columns);
  const whole = apart.map((row) => ({
    ...row,
    sentences: [Uint32Array.from(new Set(row.sentences.flatMap((set) => [...set])))],
  }));
  // The same order as the outputs of a reading: sentence by sentence, then the text at once.
  const fitted = [apart, whole].flatMap((rows) =>
    Array.from({ length: OUTPUTS_OF_A_READER }, (_, output) => fit(rows, columns.size, output)),
  );
  return quantise([...columns.keys()], fitted);
};
