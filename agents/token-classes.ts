import { type Json, sumAt } from "./json.ts";
import type { Usage } from "./store.ts";

/**
 * Tokens as vendors bill them: no token is in two of the first four classes. The other two say what part of those it
 * was, where the agent tells: `reasoning` of the output, `subAgents` of all four.
 */
export type TokenClasses = {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning?: number;
  subAgents?: number;
};

export const NO_TOKENS: TokenClasses = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** By which names an agent tells input, cache read, cache write and output. */
export type TokenNames = readonly [string, string, string, string];

/** Anthropic's API and those that follow it. */
export const ANTHROPIC_NAMES: TokenNames = [
  "input_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "output_tokens",
];

const parts = (
  name: "reasoning" | "subAgents",
  one: Partial<TokenClasses>,
  other: Partial<TokenClasses>,
): Pick<TokenClasses, "reasoning" | "subAgents"> =>
  one[name] === undefined && other[name] === undefined
    ? {}
    : { [name]: (one[name] ?? 0) + (other[name] ?? 0) };

export const addTokens = (one: TokenClasses, other: Partial<TokenClasses>): TokenClasses => ({
  input: one.input + (other.input ?? 0),
  cacheRead: one.cacheRead + (other.cacheRead ?? 0),
  cacheWrite: one.cacheWrite + (other.cacheWrite ?? 0),
  output: one.output + (other.output ?? 0),
  ...parts("reasoning", one, other),
  ...parts("subAgents", one, other),
});

export const readTokens = (from: Json, [input, cacheRead, cacheWrite, output]: TokenNames): TokenClasses => ({
  input: sumAt(from, input),
  cacheRead: sumAt(from, cacheRead),
  cacheWrite: sumAt(from, cacheWrite),
  output: sumAt(from, output),
});

/** What the next request carries of a call: all that it was sent, and what it answered. */
export const contextTokensOf = ({ input, cacheRead, cacheWrite, output }: TokenClasses): number =>
  input + cacheRead + cacheWrite + output;

/** The usage of a message; one that failed or was cut short carries zeros, which are no figures. */
export const usageOfTokens = ({ input, cacheRead, cacheWrite, output }: TokenClasses): Usage | undefined => {
  const inputTokens = input + cacheRead + cacheWrite;
  return inputTokens === 0 ? undefined : { inputTokens, outputTokens: output, isOutputExact: true };
};
