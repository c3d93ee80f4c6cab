import { expect, test } from "vitest";
import { findPrice } from "./prices.ts";
import { addSpending, createSpending } from "./spending.ts";

test("a call costs each class of its tokens at its own price", () => {
  const spending = createSpending();
  spending.add("claude-sonnet-4-5", { input: 1_000_000, cacheRead: 1_000_000, cacheWrite: 1_000_000 });
  spending.add("claude-sonnet-4-5", { output: 1_000_000 });
  expect(spending.spent().totalCostUsd).toBeCloseTo(3 + 0.3 + 3.75 + 15);
  spending.add("claude-sonnet-4-5", { cacheWrite: 1_000_000 }, 1_000_000);
  expect(spending.spent().totalCostUsd).toBeCloseTo(22.05 + 6);
});

test("what the agent says it spent replaces the sum, and later calls are added to it", () => {
  const spending = createSpending();
  spending.add("gpt-5.1-codex", { input: 1_000_000 });
  spending.replace({ totalCostUsd: 9 });
  spending.add("gpt-5.1-codex", { output: 100_000 });
  expect(spending.spent()).toEqual({
    totalCostUsd: 10,
    totalTokens: 1_100_000,
    tokensByClass: { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 100_000 },
  });
});

test("a model without a price has tokens and no cost, until the user names its price", () => {
  const unknown = createSpending();
  unknown.add("my-own", { input: 10 });
  expect(unknown.spent()).not.toHaveProperty("totalCostUsd");
  const price = { input: 2, cacheRead: 0, cacheWrite: 0, output: 0 };
  const known = createSpending({ "my-own": price });
  known.add("my-own", { input: 500_000 });
  expect(known.spent().totalCostUsd).toBe(1);
});

test("the nearest name decides the price: a mini is no pro, an old Opus no new one", () => {
  const input = (model: string) => findPrice(model)?.input;
  expect(input("gpt-5-mini-2025")).toBe(0.25);
  expect(input("gpt-5.4-mini")).toBe(0.75);
  expect(input("claude-opus-4-1-20250805")).toBe(15);
  expect(input("claude-opus-4-20250514")).toBe(15);
  expect(input("claude-opus-4-8[1m]")).toBe(5);
  expect(input("gemini-3.1-pro-preview")).toBe(2);
  expect(input("gemini-3.1-flash-lite-preview")).toBe(0.25);
  expect(input("gemini-3-flash-preview")).toBe(0.5);
  expect(input("gemini-2.5-flash-lite")).toBe(0.1);
  expect(input("llama-9")).toBeUndefined();
});

test("the closing note's spending comes on top of the turn's", () => {
  const tokensByClass = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };
  const turn = { totalCostUsd: 1, totalTokens: 10, tokensByClass };
  expect(addSpending(turn, turn)).toEqual({
    totalCostUsd: 2,
    totalTokens: 20,
    tokensByClass: { input: 2, cacheRead: 4, cacheWrite: 6, output: 8 },
  });
});
