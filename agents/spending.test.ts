import { expect, test } from "vitest";
import { PRICE_LIST } from "./price-list.ts";
import { costOf, findPrice } from "./prices.ts";
import { addSpending, createSpending } from "./spending.ts";

const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

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
  spending.add("gpt-5-codex", { input: 1_000_000 });
  spending.replace({ totalCostUsd: 9 });
  spending.add("gpt-5-codex", { output: 100_000 });
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

test("a model has the price of exactly its own name, without what agents put around it", () => {
  const input = (model: string) => findPrice(model)?.usd.input;
  expect(input("claude-sonnet-4-5-20250929")).toBe(3);
  expect(input("anthropic/claude-haiku-4-5")).toBe(1);
  expect(input("claude-opus-4-1-20250805")).toBe(15);
  expect(input("claude-opus-4-20250514")).toBe(15);
  expect(input("claude-opus-4-8[1m]")).toBe(5);
  expect(input("gpt-5-nano-2025-08-07")).toBe(0.05);
  for (const unlisted of ["claude-opus-9", "gpt-5-codex-max", "opus", "llama-9", "toString"])
    expect(input(unlisted)).toBeUndefined();
});

test("a call with a long prompt costs what the vendor asks for those, all of it", () => {
  const price = findPrice("gpt-6.2-sol");
  const call = (input: number) =>
    costOf(price ?? { usd: none }, { input, cacheRead: 0, cacheWrite: 0, output: 1_000_000 });
  expect(call(272_000)).toBeCloseTo(0.544 + 10);
  expect(call(272_001)).toBeCloseTo(1.088_004 + 15);
});

test("Gemini's price doubles with a prompt of more than 200,000 tokens, and that of GPT-5.4 from 272,000 on", () => {
  const tokens = { cacheRead: 0, cacheWrite: 0, output: 0 };
  const call = (model: string, input: number) =>
    costOf(findPrice(model) ?? { usd: none }, { input, ...tokens });
  expect(call("gemini-2.5-pro", 200_000)).toBeCloseTo(0.25);
  expect(call("google/gemini-2.5-pro", 400_000)).toBeCloseTo(1);
  expect(call("gpt-5.4", 271_999)).toBeCloseTo(0.68);
  expect(call("gpt-5.4-2026-03-05", 272_000)).toBeCloseTo(1.36);
  expect(findPrice("gemini-3.8-flash")).toBeUndefined();
});

test("every listed price names where and on which day it was read, and no model twice", () => {
  for (const { url, readOn, usd } of PRICE_LIST) {
    expect(url).toMatch(/^https:\/\/(?:platform\.claude\.com|developers\.openai\.com|www\.npmjs\.com)\//);
    expect(readOn).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(usd.cacheRead).toBeLessThan(usd.input);
    expect(usd.output).toBeGreaterThan(usd.input);
  }
  expect(new Set(PRICE_LIST.map(({ model }) => model)).size).toBe(PRICE_LIST.length);
});

test("reasoning and sub-agents are parts of the sums, and stand when the agent's own figures arrive", () => {
  const spending = createSpending();
  spending.add("gpt-5-codex", { input: 10, output: 8, reasoning: 5 });
  spending.add("gpt-5-codex", { input: 4, output: 2, reasoning: 1, subAgents: 6 });
  const sums = { input: 14, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 6, subAgents: 6 };
  expect(spending.spent()).toMatchObject({ totalTokens: 24, tokensByClass: sums });
  const tokens = { input: 20, cacheRead: 1, cacheWrite: 0, output: 12 };
  spending.replace({ totalCostUsd: 1, tokens });
  expect(spending.spent().tokensByClass).toEqual({ ...tokens, reasoning: 6, subAgents: 6 });
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
