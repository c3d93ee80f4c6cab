import { PRICE_LIST, type ListedPrice, type Price } from "./price-list.ts";
import type { TokenClasses } from "./token-classes.ts";

export type { Price } from "./price-list.ts";

// Anthropic: a cache write of an hour costs twice the input; the list has the one of five minutes.
const HOUR_WRITE_FACTOR = 2;

const BY_MODEL = new Map(PRICE_LIST.map((price) => [price.model, price]));

/** The model's name without what agents put around it: `anthropic/…`, `…[1m]`, `…-20250929`, `…-2025-08-07`, `…-latest`. */
const plainName = (model: string): string =>
  model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/\[.*$/, "")
    .replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d)$/, "");

/**
 * The price of a model: the user's own (`agents.<id>.prices`, by exact name) before the list; undefined where neither
 * has it. No name is taken for another: a model that is new has no price, and not that of its neighbour.
 */
export const findPrice = (
  model: string | undefined,
  own: Readonly<Record<string, Price>> = {},
): Pick<ListedPrice, "usd" | "longPrompt"> | undefined => {
  if (model === undefined) return undefined;
  const named = Object.hasOwn(own, model) ? own[model] : undefined;
  if (named) return { usd: named };
  const plain = plainName(model);
  return BY_MODEL.get(plain) ?? BY_MODEL.get(plain.replace(/-0$|-latest$/, ""));
};

/**
 * What a call, or a part of one, costs in USD.
 * @param hourWrites how many of its `cacheWrite` tokens are kept for an hour
 */
export const costOf = (
  { usd, longPrompt }: Pick<ListedPrice, "usd" | "longPrompt">,
  tokens: TokenClasses,
  hourWrites = 0,
): number => {
  const prompt = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  const price = longPrompt && prompt > longPrompt.overTokens ? longPrompt.usd : usd;
  return (
    (tokens.input * price.input +
      tokens.cacheRead * price.cacheRead +
      (tokens.cacheWrite - hourWrites) * price.cacheWrite +
      hourWrites * price.input * HOUR_WRITE_FACTOR +
      tokens.output * price.output) /
    1_000_000
  );
};
