import { costOf, findPrice, type Price } from "./prices.ts";
import { contextTokensOf, type TokenClasses } from "./token-classes.ts";

/** What was spent so far; `totalCostUsd` is missing where neither the agent nor a price list knows it. */
export type Spending = { totalCostUsd?: number; totalTokens?: number; tokensByClass?: TokenClasses };

const NO_TOKENS: TokenClasses = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

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
      tokens = {
        input: tokens.input + counts.input,
        cacheRead: tokens.cacheRead + counts.cacheRead,
        cacheWrite: tokens.cacheWrite + counts.cacheWrite,
        output: tokens.output + counts.output,
      };
      const price = findPrice(model, prices);
      if (price) costUsd += costOf(price, counts, hourWrites);
      else if (contextTokensOf(counts) > 0) isPriced = false;
    },
    /** what the agent says it has spent since it began */
    replace: (said: { totalCostUsd: number | undefined; tokens?: TokenClasses }) => {
      if (said.tokens && contextTokensOf(said.tokens) > 0) tokens = said.tokens;
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
  const classes = [one.tokensByClass, other.tokensByClass].filter((tokens) => tokens !== undefined);
  const sum = (key: keyof TokenClasses) => classes.reduce((total, tokens) => total + tokens[key], 0);
  return {
    ...(other.totalCostUsd === undefined
      ? {}
      : { totalCostUsd: (one.totalCostUsd ?? 0) + other.totalCostUsd }),
    ...(other.totalTokens === undefined ? {} : { totalTokens: (one.totalTokens ?? 0) + other.totalTokens }),
    ...(classes.length === 0
      ? {}
      : {
          tokensByClass: {
            input: sum("input"),
            cacheRead: sum("cacheRead"),
            cacheWrite: sum("cacheWrite"),
            output: sum("output"),
          },
        }),
  };
};
