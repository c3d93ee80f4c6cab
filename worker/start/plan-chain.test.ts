import { expect, test } from "vitest";
import { parseChain } from "../state/chain.ts";
import { planChain } from "./plan-chain.ts";

const agents = {
  one: { driver: "scripted", script: "x" },
  two: { driver: "scripted", script: "x", model: "own" },
};
const plan = (wanted: string | string[], onRateLimit = "wait", model?: string) =>
  planChain({ wanted, model, onRateLimit }, agents, {});

test("a chain is a list, or names with commas; what follows the first colon is the model", () => {
  expect(parseChain("claude, codex:gpt-x")).toEqual([
    { agent: "claude" },
    { agent: "codex", model: "gpt-x" },
  ]);
  expect(parseChain(["pi:ollama/qwen:8b"])).toEqual([{ agent: "pi", model: "ollama/qwen:8b" }]);
  expect(parseChain(undefined)).toEqual([]);
});

test("the model asked for is the first agent's, the others have their own", async () => {
  expect(await plan("one,two", "wait", "asked")).toMatchObject({
    chosen: { id: "one" },
    model: "asked",
    chain: [
      { agent: "one", model: "asked" },
      { agent: "two", model: "own" },
    ],
  });
  const single = await plan("two:named", "wait", "asked");
  expect(single).toMatchObject({ chosen: { id: "two" }, model: "named" });
  expect(single.chain).toBeUndefined();
});

test("a chain that names an agent twice, one that is not there, or another way to go on, is refused", async () => {
  await expect(plan("one,one")).rejects.toThrow(/lists the same one twice/);
  expect((await plan("one:a,one:b")).chain).toHaveLength(2);
  await expect(plan("one,none")).rejects.toThrow(/no agent "none"/);
  await expect(plan(["one", "two"], "agent:two")).rejects.toThrow(/remove one of the two/);
});
