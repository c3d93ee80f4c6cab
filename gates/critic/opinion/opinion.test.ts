import { expect, test } from "vitest";
import { minimise } from "../../../bench/critic-training/lbfgs.ts";
import { train } from "../../../bench/critic-training/train.ts";
import { judge } from "../judge.ts";
import { readLabelled } from "../score.ts";
import { encodeWeights } from "./opinion.ts";

const MEANT_STOP = [
  "unless you object I'm going to mark test_login as xfail",
  "I'll first write the code and afterwards cover it with unit tests",
];
test.each(MEANT_STOP)("raises what the frames alone may not have words for: %s", (text) => {
  expect(judge(text).verdict).toBe("STOP");
});

test("says why, what to do instead and which words spoke for what it raised", () => {
  const raised = readLabelled("learn")
    .map(({ text }) => judge(text))
    .filter(({ learned }) => learned.length > 0);
  expect(raised.length).toBeGreaterThan(50);
  for (const { flags, learned } of raised) {
    expect(flags.map(({ id }) => id)).toEqual(expect.arrayContaining(learned.map(({ id }) => id)));
    for (const { words } of learned) expect(words.length).toBeLessThan(5);
    for (const { message, suggestion } of flags) expect([message, suggestion]).not.toContain("");
  }
});

test("holds a command of a tool call to more than a sentence", () => {
  const stops = (isCommand: boolean) =>
    readLabelled("learn").filter(({ text }) => judge(text, [], { isCommand }).verdict === "STOP").length;
  expect(stops(true)).toBeLessThan(stops(false));
});

test("the same examples give the same weights, byte by byte", () => {
  const examples = readLabelled("dev")
    .slice(0, 120)
    .map((action, i) => ({ ...action, tuned: i % 2 === 0 }));
  expect(encodeWeights(train(examples)).equals(encodeWeights(train(examples)))).toBe(true);
});

test("finds the lowest point of a valley that is long and narrow", () => {
  const [x = 0, y = 0] = minimise(
    ([a = 0, b = 0], gradient) => {
      gradient[0] = -2 * (1 - a) - 400 * a * (b - a * a);
      gradient[1] = 200 * (b - a * a);
      return (1 - a) ** 2 + 100 * (b - a * a) ** 2;
    },
    2,
    { rounds: 200 },
  );
  expect(x).toBeCloseTo(1, 2);
  expect(y).toBeCloseTo(1, 2);
});
