import { costOf, findPrice, type Price } from "./prices.ts";
import { addTokens, contextTokensOf, NO_TOKENS, type TokenClasses } from "./token-classes.ts";

/** What was spent so far; `totalCostUsd` is missing where neither the agent nor a price list knows it. */
export type Spending = { totalCostUsd?: number; totalTokens?: number; tokensByClass?: TokenClasses };

/**
 * Adds up what the calls of a session cost, by list prices. What the agent itself says it spent replaces
 * the sum; calls after that are added to it.
 */
export const createSpending = (prices?: Readonly<Record<string, Price>>) => {
  let tokens = NO_TOKENS;
  let costUsd = 0;
  let isPriced = true;

  return {
    /** a call, or what has been added to one: its output comes last */
    add: (model: string | undefined, call: Partial<TokenClasses>, hourWrites = 0) => {
      const counts = { ...NO_TOKENS, ...call };
      tokens = addTokens(tokens, call);
      const price = findPrice(model, prices);
      if (price) costUsd += costOf(price, counts, hourWrites);
      else if (contextTokensOf(counts) > 0) isPriced = false;
    },
    /** a call whose cost the agent says */
    addReported: (call: Partial<TokenClasses>, usd: number) => {
      tokens = addTokens(tokens, call);
      costUsd += usd;
    },
    /** what the agent says it has spent since it began */
    replace: (said: { totalCostUsd: number | undefined; tokens?: TokenClasses }) => {
      if (said.tokens && contextTokensOf(said.tokens) > 0) tokens = { ...tokens, ...said.tokens };
      if (said.totalCostUsd === undefined) return;
      costUsd = said.totalCostUsd;
      isPriced = true;
    },
    spent: (): Required<Omit<Spending, "totalCostUsd">> & Spending => ({
      totalTokens: contextTokensOf(tokens),
      tokensByClass: tokens,
      ...(isPriced ? { totalCostUsd: costUsd } : {}),
    }),
  };
};

/** Two spendings together; a cost that one of the two does not know is left out. */
export const addSpending = (one: Spending, other: Spending): Spending => {
  const tokensByClass =
    one.tokensByClass && other.tokensByClass
      ? addTokens(one.tokensByClass, other.tokensByClass)
      : (one.tokensByClass ?? other.tokensByClass);
  return {
    ...(other.totalCostUsd === undefined
      ? {}
      : { totalCostUsd: (one.totalCostUsd ?? 0) + other.totalCostUsd }),
    ...(other.totalTokens === undefined ? {} : { totalTokens: (one.totalTokens ?? 0) + other.totalTokens }),
    ...(tokensByClass === undefined ? {} : { tokensByClass }),
  };
};
