import { expect, test } from "vitest";
import { judge } from "../judge.ts";
import { readLabelled } from "../score.ts";
import { readDoc } from "../find-flags.ts";
import { passesIn } from "./frame.ts";
import { listLineTests } from "./line-test.ts";
import { listRequired, type Required } from "./required-words.ts";

const isThere = (required: Required, words: ReadonlySet<string>): boolean => {
  if ("words" in required) return required.words.some((word) => words.has(word));
  return "all" in required
    ? required.all.every((part) => isThere(part, words))
    : required.any.some((part) => isThere(part, words));
};
const couldFit = (expression: RegExp, line: string): boolean =>
  isThere(listRequired(expression), new Set(line.split(" ")));

test.each([
  [/ (?:skip|drop) (?:the |all )?tests? /, " skip the test ", " skip it "],
  [/ in (?:19|20)\d\d /, " in 1999 ", " since 1999 "],
  [/ not (?:[^ ]+ ){0,3}(?:run|ran) | never /, " not yet ran ", " not yet "],
  [/^ (?:call (?!it )|named )(?:[^ ]+ ){0,2}$/, " call me ", " me "],
  [/ a\.md (?:s)?x /, " a.md sx ", " a.md s "],
])("%s can fit only where its words are", (expression, fitting, lacking) => {
  expect(couldFit(expression, fitting)).toBe(true);
  expect(couldFit(expression, lacking)).toBe(false);
});

test("requires nothing of what it cannot follow", () => {
  expect(couldFit(/ \w+ing | .* /, " x ")).toBe(true);
  expect(couldFit(/ skip /i, " SKIP ")).toBe(true);
});

test("never keeps an expression from a line that it fits", () => {
  judge("");
  const tests = listLineTests();
  expect(tests.length).toBeGreaterThan(50);
  for (const { text } of [...readLabelled("dev"), ...readLabelled("learn").slice(0, 600)]) {
    const { sentences } = readDoc(text);
    for (const { line } of sentences)
      for (const one of tests)
        if (one.expression().test(line)) expect([line, passesIn(one, line, sentences)]).toEqual([line, true]);
  }
});
