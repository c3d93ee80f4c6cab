/** USD for a million tokens of each class that is billed on its own. */
export type Price = { input: number; cacheRead: number; cacheWrite: number; output: number };

export type ListedPrice = {
  /** in the vendor's own spelling, without a date */
  model: string;
  usd: Price;
  /** what the whole of a call costs whose prompt is longer */
  longPrompt?: { overTokens: number; usd: Price };
  /** the vendor's page, and the day on which the price was read there */
  url: string;
  readOn: string;
};

const listed = (
  page: { url: string; readOn: string },
  model: string,
  [input, cacheWrite, cacheRead, output]: readonly [number, number, number, number],
): ListedPrice => ({ model, usd: { input, cacheRead, cacheWrite, output }, ...page });

/** Prompts of more than 272,000 tokens: twice the input and the cache, one and a half times the output. */
const withLongPrompt = (price: ListedPrice): ListedPrice => {
  const { input, cacheRead, cacheWrite, output } = price.usd;
  const usd = {
    input: input * 2,
    cacheRead: cacheRead * 2,
    cacheWrite: cacheWrite * 2,
    output: output * 1.5,
  };
  return { ...price, longPrompt: { overTokens: 272_000, usd } };
};

const READ_ON = "2026-11-23";
const page = (url: string) => ({ url, readOn: READ_ON });

const claude = page("https://platform.claude.com/docs/en/about-claude/pricing");
const olderClaude = page("https://platform.claude.com/docs/en/docs/about-claude/pricing");
const claudeModel = (name: string) => page(`https://platform.claude.com/docs/zh-CN/models/${name}/overview`);
const openai = (model: string) => page(`https://developers.openai.com/api/docs/models/${model}`);

/**
 * Standard list prices as the vendors' own pages have them, [input, cache write (5 minutes), cache read, output].
 * A model whose price no such page could be found for is not in it: its cost is unknown, until
 * `agents.<id>.prices` names it. Prices of batches, fast modes and regions are not in it either.
 */
export const PRICE_LIST: readonly ListedPrice[] = [
  listed(claude, "claude-fable-5-1", [10, 12.5, 0.25, 50]),
  listed(claude, "claude-fable-5", [10, 12.5, 1, 50]),
  listed(claudeModel("opus-5-5"), "claude-opus-5-5", [4, 5, 0.2, 20]),
  listed(claude, "claude-opus-5", [5, 6.25, 0.5, 25]),
  listed(claude, "claude-opus-4-8", [5, 6.25, 0.5, 25]),
  listed(claude, "claude-opus-4-7", [5, 6.25, 0.5, 25]),
  listed(claude, "claude-opus-4-6", [5, 6.25, 0.5, 25]),
  listed(claude, "claude-opus-4-5", [5, 6.25, 0.5, 25]),
  listed(claude, "claude-opus-4-1", [15, 18.75, 1.5, 75]),
  listed(olderClaude, "claude-opus-4", [15, 18.75, 1.5, 75]),
  listed(claudeModel("sonnet-5-5"), "claude-sonnet-5-5", [2, 2.5, 0.2, 10]),
  listed(claudeModel("sonnet-5"), "claude-sonnet-5", [2, 2.5, 0.2, 10]),
  listed(olderClaude, "claude-sonnet-4-6", [3, 3.75, 0.3, 15]),
  listed(olderClaude, "claude-sonnet-4-5", [3, 3.75, 0.3, 15]),
  listed(olderClaude, "claude-sonnet-4", [3, 3.75, 0.3, 15]),
  listed(olderClaude, "claude-haiku-4-5", [1, 1.25, 0.1, 5]),
  listed(olderClaude, "claude-haiku-3-5", [0.8, 1, 0.08, 4]),
  withLongPrompt(listed(openai("gpt-6.2-sol"), "gpt-6.2-sol", [2, 2.5, 0.1, 10])),
  withLongPrompt(listed(openai("gpt-6.1-sol"), "gpt-6.1-sol", [2, 2.5, 0.1, 10])),
  withLongPrompt(
    listed(page("https://developers.openai.com/docs/models/gpt-6-sol"), "gpt-6-sol", [2, 2.5, 0.2, 10]),
  ),
  // These have no price of their own for a cache write: it is input.
  listed(openai("gpt-5-codex"), "gpt-5-codex", [1.25, 1.25, 0.125, 10]),
  listed(openai("gpt-5-nano"), "gpt-5-nano", [0.05, 0.05, 0.005, 0.4]),
  listed(openai("codex-mini-latest"), "codex-mini-latest", [1.5, 1.5, 0.375, 6]),
];
