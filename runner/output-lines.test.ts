import { expect, test } from "vitest";
import { OutputLines } from "./output-lines.ts";

const collect = () => {
  const lines: string[] = [];
  return { lines, output: new OutputLines((line) => void lines.push(line)) };
};

test("lines of two programs at once do not run into each other, and a letter cut in two stays whole", () => {
  const { lines, output } = collect();
  const letter = Buffer.from("ä\n");
  output.add("1", Buffer.from("a1-"));
  output.add("2", Buffer.from("b1\nb2"));
  output.add("1", letter.subarray(0, 1));
  output.add("1", letter.subarray(1));
  expect(lines).toEqual(["b1", "a1-ä"]);
  output.end();
  expect(lines).toEqual(["b1", "a1-ä", "b2"]);
});

test("the last forty lines are kept, and a line without an end is cut up", () => {
  const { lines, output } = collect();
  for (let i = 1; i <= 1_000; i += 1) output.line(String(i));
  expect(output.last()).toEqual(Array.from({ length: 40 }, (_, i) => String(i + 961)));
  for (let i = 0; i < 4; i += 1) output.add("1", Buffer.alloc(40_000, "x"));
  output.end();
  expect(lines.slice(1_000).map(({ length }) => length)).toEqual([80_000, 80_000]);
});
