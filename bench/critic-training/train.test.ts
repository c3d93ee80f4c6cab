import { expect, test } from "vitest";
import { parseWeights, writeWeights } from "../../gates/critic/reader/weights.ts";
import { readLabelled } from "../../gates/critic/testdata/score.ts";
import { minimise } from "./lbfgs.ts";
import { train } from "./train.ts";

test("the same examples give the same weights, and a file gives back what was written", () => {
  const examples = readLabelled("dev").slice(0, 120);
  const weights = train(examples, { kept: 300 });
  expect(writeWeights(train(examples, { kept: 300 }))).toBe(writeWeights(weights));
  const read = parseWeights(writeWeights(weights));
  expect(weights.size).toBeGreaterThan(100);
  for (const [feature, values] of weights) expect(read.get(feature)).toEqual(values);
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
