import type { Concept } from "../analysis/analyze.ts";
import type { Question, Relevance } from "./rank.ts";

/**
 * A compound that names one thing by number: an error code, a ticket, a date, a version. Names of code and paths
 * are made of words that also say what they are about; there, a part in common is worth its own weight.
 */
const NUMBERED = /\d{3}|_\d+_\d/;

/** The numbered identifiers of a context that some learning has, as places among its concepts. */
export const knownIdentifiers = (
  concepts: readonly Concept[],
  question: Pick<Question, "concepts">,
): ReadonlySet<number> =>
  new Set(
    [...concepts.keys()].filter(
      (at) =>
        concepts[at]?.kind === "whole" &&
        question.concepts[at]?.isKnown &&
        NUMBERED.test(concepts[at]?.term ?? ""),
    ),
  );

/** How much of the identifiers a learning has. */
export const identifierMatch = (
  { concepts }: Pick<Question, "concepts">,
  identifiers: ReadonlySet<number>,
  { found }: Pick<Relevance, "found">,
): "whole" | "part" | "none" => {
  if (found.some((at) => identifiers.has(at))) return "whole";
  return found.some((at) => concepts[at]?.wholes.some((whole) => identifiers.has(whole))) ? "part" : "none";
};

/** Puts what has an identifier only in part behind all that have one whole, and leaves it in its order. */
export const wholeFirst = <T extends { identifier: "whole" | "part" | "none"; score: number }>(
  scored: readonly T[],
): readonly T[] => {
  const least = scored.reduce(
    (score, one) => (one.identifier === "whole" ? Math.min(score, one.score) : score),
    Infinity,
  );
  return scored.map((one) =>
    one.identifier === "part" ? { ...one, score: 1 / (1 / one.score + 1 / least) } : one,
  );
};
