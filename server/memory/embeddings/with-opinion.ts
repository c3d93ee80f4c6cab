type Judged = { score: number; strength: number };

/** deviations from which on a model's opinion counts, and at which it is as good as even */
const LEAST = 2;
const EVEN = 4.5;
const STEEPNESS = 1.5;
/** what a model may add to a lexical score at most, and what it gives where there is none */
const MAX_FACTOR = 0.25;
const SCORE_PER_DEVIATION = 1.5;

/**
 * A second opinion beside the lexical judgement: it moves learnings of like score, and brings in one that
 * shares no word with the context when it stands far out. It takes nothing away.
 */
export const withOpinion = (
  { score, strength }: Judged,
  deviations: number | undefined,
  prior: number,
): Judged => {
  if (deviations === undefined) return { score, strength };
  const beyond = Math.max(0, deviations - LEAST);
  return {
    score: score * (1 + MAX_FACTOR * Math.min(1, beyond / 3)) + beyond * SCORE_PER_DEVIATION * prior,
    strength: Math.max(strength, 1 / (1 + Math.exp(-(deviations - EVEN) * STEEPNESS))),
  };
};
