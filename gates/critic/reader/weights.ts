import { readFileSync } from "node:fs";
import { join } from "node:path";
import { noteFeatures } from "./features.ts";
import type { Doc } from "./sentences.ts";

/** What a weight speaks for: each rule, and a STOP whichever rule it is. */
export const OUTPUTS = ["R1", "R2", "R3", "R4", "R5", "STOP"] as const;

/** For a feature of a sentence how much it speaks for each output, in log odds. */
export type Weights = { get(feature: string): readonly number[] | undefined };

/** What each of a sentence's features counts: of many in a long sentence most say the same as another. */
export const shareOf = (features: number): number => 16 / Math.sqrt(features + 40);

const HEAD = ["feature", ...OUTPUTS].join("\t");

/** Weights as they stand in a file: a line for each feature, sorted, in hundredths. */
export const writeWeights = (weights: ReadonlyMap<string, readonly number[]>): string =>
  [
    HEAD,
    ...[...weights].map(([feature, values]) =>
      [feature, ...values.map((value) => Math.round(value * 100))].join("\t"),
    ),
    "",
  ].join("\n");

const parseValues = (line: string): number[] => line.split("\t").map((value) => Number(value) / 100);

/** Of thousands of lines, sorted by their feature, a sentence needs some hundred: each is looked for where it stands. */
export const parseWeights = (text: string): Weights => ({
  get: (feature) => {
    let [from, end] = [text.indexOf("\n") + 1, text.length];
    while (from < end) {
      const start = text.lastIndexOf("\n", ((from + end) >> 1) - 1) + 1;
      const tab = text.indexOf("\t", start);
      const found = text.slice(start, tab);
      const next = text.indexOf("\n", tab) + 1;
      if (found === feature) return parseValues(text.slice(tab + 1, next - 1));
      if (found < feature) from = next;
      else end = start;
    }
    return undefined;
  },
});

let learned: Weights | undefined;

/** The weights that the critic was built with. */
export const loadWeights = (): Weights =>
  (learned ??= parseWeights(readFileSync(join(import.meta.dirname, "weights.tsv"), "utf8")));

/** How much a sentence speaks for each output, in log odds, in the order of `OUTPUTS`. */
export type Speech = readonly number[];

/** Adds up what the features of a sentence weigh, each once and for its share. */
export const weighSentence = (doc: Doc, index: number, weights: Weights = loadWeights()): Speech => {
  const sums = OUTPUTS.map(() => 0);
  const noted = new Set<string>();
  noteFeatures(doc, index, (feature) => {
    if (noted.has(feature)) return;
    noted.add(feature);
    for (const [i, value] of (weights.get(feature) ?? []).entries()) sums[i] = (sums[i] ?? 0) + value;
  });
  return sums.map((sum) => sum * shareOf(noted.size));
};
