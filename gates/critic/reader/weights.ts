import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a weight speaks for: each rule, and a STOP whichever rule it is. */
export const OUTPUTS = ["R1", "R2", "R3", "R4", "R5", "STOP"] as const;

/** For a feature of a sentence how much it speaks for each output, in log odds. */
export type Weights = { get(feature: string): readonly number[] | undefined };

/** What each of a sentence's features counts: of many in a long sentence most say the same as another. */
export const shareOf = (features: number): number => 16 / Math.sqrt(features + 40);

const HEAD = ["feature", ...OUTPUTS].join("\t");

/** Weights as they stand in a file: a line for each feature, in hundredths. */
export const writeWeights = (weights: ReadonlyMap<string, readonly number[]>): string =>
  [
    HEAD,
    ...[...weights].map(([feature, values]) =>
      [feature, ...values.map((value) => Math.round(value * 100))].join("\t"),
    ),
    "",
  ].join("\n");

const parseValues = (line: string): number[] => line.split("\t").map((value) => Number(value) / 100);

/** Of thousands of lines a sentence needs some hundred: only those are parsed. */
export const parseWeights = (text: string): Weights => {
  const lines = new Map<string, string>();
  for (const line of text.split("\n")) {
    const tab = line.indexOf("\t");
    if (tab > 0) lines.set(line.slice(0, tab), line.slice(tab + 1));
  }
  return {
    get: (feature) => {
      const line = lines.get(feature);
      return line === undefined ? undefined : parseValues(line);
    },
  };
};

let learned: Weights | undefined;

/** The weights that the critic was built with. */
export const loadWeights = (): Weights =>
  (learned ??= parseWeights(readFileSync(join(import.meta.dirname, "weights.tsv"), "utf8")));
