import type { PlannedStep, ScriptedStep, Step } from "./script.ts";

const fillText = (value: string, words: Record<string, number>): string =>
  value.replace(/\{\{(\w+)\}\}/g, (whole, word: string) => String(words[word] ?? whole));

const planStep = (step: Step, session: number, round: number): PlannedStep => {
  const filled = Object.fromEntries(
    Object.entries(step).map(([key, value]) => [
      key,
      typeof value === "string" ? fillText(value, { session, i: round }) : value,
    ]),
  ) as Step;
  if (filled.do === "usage")
    return { ...filled, contextTokens: filled.contextTokens + (round - 1) * (filled.growth ?? 0) };
  return filled;
};

/** The steps of a part in the order they are done, repeats unrolled, texts filled in. */
export const planSteps = (steps: readonly ScriptedStep[], session: number, round = 1): PlannedStep[] =>
  steps.flatMap((step) => {
    if (step.do !== "repeat") return [planStep(step, session, round)];
    const rounds = Array.from({ length: step.times }, (_, index) => index + 1);
    return rounds.flatMap((inner) => planSteps(step.steps, session, inner));
  });
