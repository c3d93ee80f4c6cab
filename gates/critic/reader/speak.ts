import { noteFeatures } from "./features.ts";
import type { Doc } from "./sentences.ts";
import { loadWeights, OUTPUTS, shareOf, type Weights } from "./weights.ts";
import type { Word } from "./words.ts";

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

const MOST_WORDS = 4;

/** The words of a sentence that speak most for an output. */
export const listLoudestWords = (doc: Doc, index: number, output: (typeof OUTPUTS)[number]): string[] => {
  const says = new Map<Word, number>();
  const noted = new Set<string>();
  noteFeatures(doc, index, (feature, ...at) => {
    const weight = loadWeights().get(feature)?.[OUTPUTS.indexOf(output)] ?? 0;
    if (noted.has(feature)) return;
    noted.add(feature);
    for (const word of at) says.set(word, (says.get(word) ?? 0) + weight / at.length);
  });
  return [...says]
    .map(([{ start, end }, value]) => ({ text: doc.text.slice(start, end), value }))
    .filter(({ text, value }) => value > 0 && /\p{L}/u.test(text))
    .sort((a, b) => b.value - a.value)
    .slice(0, MOST_WORDS)
    .map(({ text }) => text);
};
