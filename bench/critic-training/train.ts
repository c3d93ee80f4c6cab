import { noteFeatures } from "../../gates/critic/reader/features.ts";
import { readText } from "../../gates/critic/reader/sentences.ts";
import { OUTPUTS, shareOf } from "../../gates/critic/reader/weights.ts";
import { minimise } from "./lbfgs.ts";

/** A labelled action. */
export type Example = { text: string; flags: readonly string[] };

/** Texts as numbers: the features of each sentence, one after the other. */
type Matrix = {
  columns: Uint32Array;
  /** where the features of each sentence begin, and one more for the end */
  sentences: Uint32Array;
  /** what each feature of a sentence counts */
  shares: Float64Array;
  /** where the sentences of each text begin, and one more for the end */
  texts: Uint32Array;
};

const HIGH = new Set(["R1", "R4", "R5"]);
const isWanted = ({ flags }: Example, output: string): boolean =>
  output === "STOP" ? flags.some((flag) => HIGH.has(flag)) : flags.includes(output);

const LEAST_TEXTS = 3;
const REGULARISATION = 1.5;
const KEPT = 16_000;
const ROUNDS = 80;

const readNotes = ({ text }: Example): string[][] => {
  const doc = readText(text);
  return doc.sentences.map((_, index) => {
    const notes = new Set<string>();
    noteFeatures(doc, index, (feature) => void notes.add(feature));
    return [...notes];
  });
};

/** Features of at least three texts: what two have in common is often their writer. */
const listCommon = (texts: readonly string[][][]): string[] => {
  const counts = new Map<string, number>();
  for (const sentences of texts)
    for (const feature of new Set(sentences.flat())) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  return [...counts].flatMap(([feature, count]) => (count >= LEAST_TEXTS ? [feature] : [])).sort();
};

const toMatrix = (texts: readonly string[][][], features: readonly string[]): Matrix => {
  const numbers = new Map(features.map((feature, i) => [feature, i]));
  const columns: number[] = [];
  const sentences: number[] = [];
  const shares: number[] = [];
  const starts: number[] = [];
  for (const text of texts) {
    starts.push(sentences.length);
    for (const sentence of text) {
      sentences.push(columns.length);
      shares.push(shareOf(sentence.length));
      for (const feature of sentence) {
        const number = numbers.get(feature);
        if (number !== undefined) columns.push(number);
      }
    }
  }
  starts.push(sentences.length);
  sentences.push(columns.length);
  return {
    columns: Uint32Array.from(columns),
    sentences: Uint32Array.from(sentences),
    shares: Float64Array.from(shares),
    texts: Uint32Array.from(starts),
  };
};

const softplus = (x: number): number => (x > 30 ? x : Math.log1p(Math.exp(x)));

/** A text is flagged when one of its sentences is: 1 - Π (1 - p). The loss of the labels, and its gradient. */
const fit = (
  { columns, sentences, shares, texts }: Matrix,
  wanted: readonly boolean[],
  size: number,
): Float64Array => {
  const odds = new Float64Array(sentences.length);
  return minimise(
    (point, gradient) => {
      let loss = 0;
      for (let text = 0; text + 1 < texts.length; text += 1) {
        const [first = 0, end = 0] = [texts[text], texts[text + 1]];
        let none = 1e-9;
        for (let s = first; s < end; s += 1) {
          let sum = 0;
          for (let i = sentences[s] ?? 0; i < (sentences[s + 1] ?? 0); i += 1)
            sum += point[columns[i] ?? 0] ?? 0;
          odds[s] = sum * (shares[s] ?? 0);
          none += softplus(odds[s] ?? 0);
        }
        const some = -Math.expm1(-none);
        loss += wanted[text] ? -Math.log(some) : none;
        const pull = wanted[text] ? -Math.exp(-none) / some : 1;
        for (let s = first; s < end; s += 1) {
          const push = (pull * (shares[s] ?? 0)) / (1 + Math.exp(-(odds[s] ?? 0)));
          for (let i = sentences[s] ?? 0; i < (sentences[s + 1] ?? 0); i += 1) {
            const column = columns[i] ?? 0;
            gradient[column] = (gradient[column] ?? 0) + push;
          }
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
};

const fitAll = (examples: readonly Example[], notes: readonly string[][][], features: readonly string[]) => {
  const matrix = toMatrix(notes, features);
  return OUTPUTS.map((output) =>
    fit(
      matrix,
      examples.map((example) => isWanted(example, output)),
      features.length,
    ),
  );
};

/** Learns from labelled actions; the same examples in the same order give the same weights. */
export const train = (
  examples: readonly Example[],
  { kept = KEPT, without }: { kept?: number; without?: RegExp | undefined } = {},
): Map<string, number[]> => {
  const notes = examples.map(readNotes);
  const common = listCommon(notes).filter((feature) => without?.test(feature) !== true);
  const first = fitAll(examples, notes, common);
  // Most features hardly matter: without them the file stays short, and the rest are fitted once more.
  const strength = common.map((_, i) => Math.max(...first.map((one) => Math.abs(one[i] ?? 0))));
  const least = strength.toSorted((a, b) => b - a)[kept] ?? 0;
  const features = common.filter((_, i) => (strength[i] ?? 0) > least);
  const fitted = fitAll(examples, notes, features);
  return new Map(
    features.map((feature, i) => [feature, fitted.map((one) => Math.round((one[i] ?? 0) * 100) / 100 + 0)]),
  );
};
