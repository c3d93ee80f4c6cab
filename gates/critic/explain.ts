import type { RuleId } from "./catalogue.ts";
import { byId, quote, quoteSentence } from "./judge.ts";
import { findOwnFlags, type OwnPattern } from "./own-patterns.ts";
import { listExcused } from "./reader/excuses.ts";
import { noteFeatures } from "./reader/features.ts";
import { findFlags } from "./reader/findings.ts";
import { type Doc, readText } from "./reader/sentences.ts";
import { loadWeights, OUTPUTS } from "./reader/weights.ts";
import type { Word } from "./reader/words.ts";

/** A place that looked like a flag and is none, with the reason. */
export type Excused = { id: string; match: string; reason: string };

/** The words that spoke most for a flag. */
export type Spoken = { id: string; words: readonly string[] };

/** What a judgement rests on, for whoever asks. */
export type Explanation = { excused: Excused[]; learned: Spoken[] };

const MOST_WORDS = 4;

/** The words of a sentence that speak most for an output. */
const listLoudestWords = (doc: Doc, index: number, output: RuleId): string[] => {
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

/** Why a text is judged as it is: what looks like a flag and is none, and the words that spoke for each flag. */
export const explain = (text: string, patterns: readonly OwnPattern[] = []): Explanation => {
  const doc = readText(text);
  const found = findFlags(doc);
  const rules = found.map(({ rule }): RuleId => rule);
  const builtIn = listExcused(doc, rules).map(({ rule, sentence, excuse }) => ({
    id: rule,
    match: quoteSentence(doc, sentence),
    reason: excuse,
  }));
  const own = findOwnFlags(doc, patterns).flatMap(({ pattern, match, excuse }) =>
    excuse === undefined ? [] : [{ id: pattern.id, match: quote(match), reason: excuse }],
  );
  return {
    excused: [...builtIn, ...own],
    learned: found
      .map(({ rule, sentence }) => ({ id: rule, words: listLoudestWords(doc, sentence, rule) }))
      .sort(byId),
  };
};
