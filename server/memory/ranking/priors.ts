import type { Learning } from "../store/learning.ts";

const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 180;
/** one failed session weighs as much as four that went well */
const HARM_WEIGHT = 4;

/**
 * How far a learning is to be trusted, as a factor around 1: never more than a quarter either way, so that
 * it orders learnings of like relevance and never brings one up that does not fit.
 */
export const priorOf = (learning: Learning, now: number): number => {
  const confidence = 0.9 + 0.2 * learning.confidence;
  const harmful = HARM_WEIGHT * learning.harmful;
  const worth = (learning.helpful + 1) / (learning.helpful + harmful + 2);
  const outcome = 0.85 + 0.3 * worth;
  const days = Math.max(0, now - learning.verifiedAt) / DAY_MS;
  const freshness = 0.92 + 0.08 * 0.5 ** (days / HALF_LIFE_DAYS);
  const corroboration = learning.writers > 1 ? 1.04 : 1;
  return Math.min(1.25, Math.max(0.75, confidence * outcome * freshness * corroboration));
};
