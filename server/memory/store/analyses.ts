import type { Learning } from "./learning.ts";
import { type AnalyzedLearning, analyzeLearning } from "../analysis/analyze.ts";

const MAX_KEPT = 16_000;

/** Analyzes learnings, and keeps what came out of it for as long as they say the same. */
export const createAnalyses = (): ((learning: Learning) => AnalyzedLearning) => {
  const kept = new Map<number, { said: string; analyzed: AnalyzedLearning }>();
  return (learning) => {
    const { trigger, learning: text, alternative, reason, project } = learning;
    const said = `${trigger}\0${text}\0${alternative}\0${reason}\0${project}`;
    const known = kept.get(learning.seq);
    if (known?.said === said) return known.analyzed;
    const analyzed = analyzeLearning(learning);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(learning.seq, { said, analyzed });
    return analyzed;
  };
};
