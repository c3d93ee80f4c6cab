import type { TokenClasses } from "./token-classes.ts";

/** USD for a million tokens of each class. */
export type Price = TokenClasses;

// A cache write of an hour costs twice the input; the table has the one of five minutes.
const HOUR_WRITE_FACTOR = 2;

const price = (input: number, cacheRead: number, output: number, cacheWrite = input): Price => ({
  input,
  cacheRead,
  cacheWrite,
  output,
});
/** Anthropic prices a read at a tenth of the input, a write at five quarters. */
const anthropic = (input: number, output: number): Price => price(input, input / 10, output, input * 1.25);

/** List prices by model name, the first match wins; long-context and batch prices are not in it. As of 2026-05. */
const PRICES: readonly (readonly [RegExp, Price])[] = [
  [/opus-4-(?:[01]\b|2025)/, anthropic(15, 75)],
  [/opus/, anthropic(5, 25)],
  [/sonnet/, anthropic(3, 15)],
  [/haiku/, anthropic(1, 5)],
  [/gpt-5\.5/, price(5, 0.5, 30)],
  [/gpt-5\.4-nano/, price(0.2, 0.02, 1.25)],
  [/gpt-5\.4-mini/, price(0.75, 0.075, 4.5)],
  [/gpt-5\.4/, price(2.5, 0.25, 15)],
  [/gpt-5\.[23]/, price(1.75, 0.175, 14)],
  [/gpt-5.*nano/, price(0.05, 0.005, 0.4)],
  [/gpt-5.*mini/, price(0.25, 0.025, 2)],
  [/gpt-5|codex/, price(1.25, 0.125, 10)],
  [/gpt-4\.1-nano/, price(0.1, 0.03, 0.4)],
  [/gpt-4\.1-mini/, price(0.4, 0.1, 1.6)],
  [/gpt-4\.1/, price(2, 0.5, 8)],
  [/gpt-4o-mini/, price(0.15, 0.08, 0.6)],
  [/gpt-4o/, price(2.5, 1.25, 10)],
  [/\bo4-mini/, price(1.1, 0.28, 4.4)],
  [/\bo3\b/, price(2, 0.5, 8)],
  [/gemini-3[^f]*pro/, price(2, 0.2, 12)],
  [/gemini-3[^l]*flash-lite/, price(0.25, 0.025, 1.5)],
  [/gemini-3.*flash/, price(0.5, 0.05, 3)],
  [/gemini-2\.5-flash-lite/, price(0.1, 0.025, 0.4)],
  [/gemini-2\.5-flash/, price(0.3, 0.03, 2.5)],
  [/gemini-2\.5-pro/, price(1.25, 0.125, 10)],
];

/** The price of a model: the user's own (`agents.<id>.prices`, by exact name) before the list. */
export const findPrice = (
  model: string | undefined,
  own: Readonly<Record<string, Price>> = {},
): Price | undefined =>
  model === undefined
    ? undefined
    : (own[model] ?? PRICES.find(([pattern]) => pattern.test(model.toLowerCase()))?.[1]);

/** What a call costs in USD. @param hourWrites how many of its `cacheWrite` tokens are kept for an hour */
export const costOf = (price: Price, tokens: TokenClasses, hourWrites = 0): number =>
  (tokens.input * price.input +
    tokens.cacheRead * price.cacheRead +
    (tokens.cacheWrite - hourWrites) * price.cacheWrite +
    hourWrites * price.input * HOUR_WRITE_FACTOR +
    tokens.output * price.output) /
  1_000_000;
