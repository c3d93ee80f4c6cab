/** USD for a million tokens of each class that is billed on its own. */
export type Price = { input: number; cacheRead: number; cacheWrite: number; output: number };

export type ListedPrice = {
  /** in the vendor's own spelling, without a date */
  model: string;
  usd: Price;
  /** what the whole of a call costs whose prompt is longer */
  longPrompt?: { overTokens: number; usd: Price };
  /** where the price was read: the vendor's page, or a public list that goes by it; and its day */
  url: string;
  readOn: string;
};

const listed = (
  page: { url: string; readOn: string },
  model: string,
  [input, cacheWrite, cacheRead, output]: readonly [number, number, number, number],
): ListedPrice => ({ model, usd: { input, cacheRead, cacheWrite, output }, ...page });

/** Longer prompts cost twice the input and the cache, one and a half times the output. */
const withLongPrompt = (price: ListedPrice, overTokens = 272_000): ListedPrice => {
  const { input, cacheRead, cacheWrite, output } = price.usd;
  const usd = {
    input: input * 2,
    cacheRead: cacheRead * 2,
    cacheWrite: cacheWrite * 2,
    output: output * 1.5,
  };
  return { ...price, longPrompt: { overTokens, usd } };
};

const READ_ON = "2026-11-23";
const page = (url: string) => ({ url, readOn: READ_ON });

const claude = page("https://platform.claude.com/docs/en/about-claude/pricing");
const olderClaude = page("https://platform.claude.com/docs/en/docs/about-claude/pricing");
const claudeModel = (name: string) => page(`https://platform.claude.com/docs/zh-CN/models/${name}/overview`);
const openai = (model: string) => page(`https://developers.openai.com/api/docs/models/${model}`);

/** The vendors' pages of these could not be read; this list was made from them. */
const publicList = {
  url: "https://www.npmjs.com/package/@pydantic/genai-prices/v/0.1.8",
  readOn: "2026-09-23",
};

/**
 * Standard list prices as the vendors' own pages or a public list have them,
 * [input, cache write (5 minutes), cache read, output]. A model whose price was not found, or is about to change (Gemini 3.6 to 3.8 Flash), is not in it: its cost is
 * unknown, until `agents.<id>.prices` names it. Prices of batches, fast modes and regions are not in it either.
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
  ...["gpt-5", "gpt-5.1", "gpt-5.1-codex", "gpt-5.1-codex-max"].map((model) =>
    listed(publicList, model, [1.25, 1.25, 0.125, 10]),
  ),
  ...["gpt-5-mini", "gpt-5.1-codex-mini"].map((model) => listed(publicList, model, [0.25, 0.25, 0.025, 2])),
  ...["gpt-5.2", "gpt-5.2-codex", "gpt-5.3", "gpt-5.3-codex"].map((model) =>
    listed(publicList, model, [1.75, 1.75, 0.175, 14]),
  ),
  listed(publicList, "gpt-5.4-mini", [0.75, 0.75, 0.075, 4.5]),
  listed(publicList, "gpt-5.4-nano", [0.2, 0.2, 0.02, 1.25]),
  // The higher price of these begins at exactly 272,000 tokens.
  withLongPrompt(listed(publicList, "gpt-5.4", [2.5, 2.5, 0.25, 15]), 271_999),
  withLongPrompt(listed(publicList, "gpt-5.5", [5, 5, 0.5, 30]), 271_999),
  withLongPrompt(listed(publicList, "gpt-5.6-sol", [4, 5, 0.4, 20]), 271_999),
  withLongPrompt(listed(publicList, "gpt-5.6-terra", [2, 2.5, 0.2, 12]), 271_999),
  withLongPrompt(listed(publicList, "gpt-5.6-luna", [0.2, 0.25, 0.02, 1.2]), 271_999),
  withLongPrompt(listed(publicList, "gpt-6-luna", [0.1, 0.125, 0.01, 0.5])),
  withLongPrompt(listed(publicList, "gpt-6-astra", [10, 12.5, 1, 50]), 271_999),
  withLongPrompt(listed(publicList, "gemini-2.5-pro", [1.25, 1.25, 0.125, 10]), 200_000),
  withLongPrompt(listed(publicList, "gemini-3-pro-preview", [2, 2, 0.2, 12]), 200_000),
  withLongPrompt(listed(publicList, "gemini-3.1-pro-preview", [2, 2, 0.2, 12]), 200_000),
  listed(publicList, "gemini-2.5-flash", [0.3, 0.3, 0.03, 2.5]),
  listed(publicList, "gemini-2.5-flash-lite", [0.1, 0.1, 0.01, 0.4]),
  listed(publicList, "gemini-3-flash-preview", [0.5, 0.5, 0.05, 3]),
  listed(publicList, "gemini-3.1-flash-lite", [0.25, 0.25, 0.025, 1.5]),
  listed(publicList, "gemini-3.5-flash", [1.5, 1.5, 0.15, 9]),
  listed(publicList, "gemini-3.5-flash-lite", [0.3, 0.3, 0.03, 2.5]),
];
