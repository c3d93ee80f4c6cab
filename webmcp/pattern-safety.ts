import { converges, isExponential, isLinear } from "./pattern-ambiguity.ts";
import { buildAutomaton } from "./pattern-automaton.ts";
import { listTokens, parsePattern, UnsupportedPattern, type PatternNode } from "./pattern-parser.ts";

/**
 * How a backtracking engine fares with a pattern at worst: `safe` for texts up to `maxSafeLength` characters
 * (Infinity for linear patterns), or not safe at any length worth having.
 */
export type PatternVerdict = { safe: true; maxSafeLength: number } | { safe: false; reason: string };

/** Backtracking steps that matching one value may cost: a fraction of a second. */
const MAX_STEPS = 1e8;
const MAX_STATES = 120;
const LONGEST_TEXT = 2 ** 30;

/** Judges on the careful side: a refused pattern may be harmless, an accepted one never is not. */
export const judgePattern = (source: string): PatternVerdict => {
  const invalid = whyInvalid(source);
  if (invalid !== undefined) return { safe: false, reason: invalid };
  const tokens = listTokens(source);
  const tree = parse(tokens);
  if (typeof tree === "string") return { safe: false, reason: tree };
  const automaton = buildAutomaton(tree);
  if (automaton.sets.length > MAX_STATES)
    return { safe: false, reason: "the pattern is too large to be proven safe" };
  if (isExponential(automaton))
    return { safe: false, reason: "the pattern can match one text in exponentially many ways" };
  const anchored = isAnchored(tokens);
  const repeats = countWays(tree);
  const constant = repeats.choices > 1 && converges(automaton) ? repeats.choices : 1;
  const loops = isLinear(automaton, anchored) ? [] : [...repeats.loops, ...(anchored ? [] : [Infinity])];
  const maxSafeLength = longestWithin(MAX_STEPS / constant, loops);
  return maxSafeLength > 0
    ? { safe: true, maxSafeLength }
    : { safe: false, reason: "the pattern can match one text in too many ways" };
};

const whyInvalid = (source: string): string | undefined => {
  try {
    RegExp(source, "u");
    return undefined;
  } catch {
    return "the pattern is not a regular expression under the u flag";
  }
};

const parse = (tokens: readonly string[]): PatternNode | string => {
  try {
    return parsePattern(tokens);
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
    return `the pattern uses ${error.message}, whose cost cannot be bounded`;
  }
};

/** True when every way to match begins at the start; otherwise the engine tries each place of the text. */
const isAnchored = (tokens: readonly string[]): boolean => {
  let depth = 0;
  return (
    tokens[0] === "^" &&
    tokens.every((token) => {
      if (token.startsWith("(")) depth += 1;
      if (token === ")") depth -= 1;
      return token !== "|" || depth > 0;
    })
  );
};

type Ways = { choices: number; loops: number[] };

/** How often the engine can choose: once for each alternative and option, and as often as a loop may turn. */
const countWays = (node: PatternNode): Ways => {
  switch (node.kind) {
    case "empty":
    case "set":
      return { choices: 1, loops: [] };
    case "sequence":
    case "choice": {
      const parts = node.items.map(countWays);
      const arms = node.kind === "choice" ? parts.length : 1;
      return {
        choices: parts.reduce((product, part) => product * part.choices, arms),
        loops: parts.flatMap((part) => part.loops),
      };
    }
    case "repeat":
      return countRepeat(countWays(node.item), node.min, node.max);
  }
};

const countRepeat = (inner: Ways, min: number, max: number): Ways => {
  if (min === max) {
    // Beyond a hundred copies the cost is over any bound anyway.
    const copies = Math.min(max, 100);
    return {
      choices: inner.choices ** copies,
      loops: Array.from({ length: copies }, () => inner.loops).flat(),
    };
  }
  if (max === 1) return { choices: inner.choices * 2, loops: inner.loops };
  return { choices: inner.choices, loops: [max, ...inner.loops] };
};

const longestWithin = (steps: number, loops: readonly number[]): number => {
  const cost = (length: number): number =>
    loops.reduce((product, turns) => product * (Math.min(turns, length) + 1), 1);
  if (cost(LONGEST_TEXT) <= steps) return Infinity;
  let low = 0;
  let high = LONGEST_TEXT;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (cost(middle) <= steps) low = middle;
    else high = middle;
  }
  return low;
};
