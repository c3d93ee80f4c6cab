import { expect, test } from "vitest";
import { requiredLiteral } from "./pattern.ts";

test.each([
  ["foo.*barbaz", "", "barbaz"],
  ["colou?r", "", "colo"],
  ["(abc)?def", "", "def"],
  ["a|b", "", ""],
  ["x{2,3}yes", "", "yes"],
  ["\\d+ files", "", " files"],
  ["\\u0041bc", "", ""],
  ["[abc]tail", "", "tail"],
  ["straße", "iu", ""],
])("of /%s/%s the index may look for %j", (source, flags, literal) => {
  expect(requiredLiteral(source, flags)).toBe(literal);
});
