import { expect, test } from "vitest";
import { RULES } from "./catalogue.ts";
import { explain } from "./explain.ts";
import { judge } from "./judge.ts";
import { readLabelled, scoreCritic } from "./testdata/score.ts";

const ids = (text: string): string[] => judge(text).flags.map(({ id }) => id);

test("carries over to actions that it never learned from", () => {
  const { precision, recall, perRule } = scoreCritic(readLabelled("test"));
  expect(precision).toBeGreaterThanOrEqual(0.909);
  expect(recall).toBeGreaterThanOrEqual(0.918);
  for (const caution of ["R2", "R3"]) expect(perRule[caution]?.recall).toBeGreaterThanOrEqual(0.8);
});

test("reads what agents and developers write, half of it harmless and near to the rules", () => {
  const { precision, recall } = scoreCritic(readLabelled("held"));
  expect(precision).toBeGreaterThanOrEqual(0.9);
  expect(recall).toBeGreaterThanOrEqual(0.95);
});

test.each(Object.values(RULES))("what $id suggests instead passes the critic itself", ({ suggestion }) => {
  expect(judge(suggestion)).toMatchObject({ verdict: "PROCEED", flags: [] });
});

test.each([
  ["I'll skip the tests for this one", ["R5"]],
  ["I won't skip the tests for this one", []],
  ["the README says you may skip the tests", []],
  ["grep for 'skip the tests' in the docs", []],
  ["Why were the tests skipped in March?", []],
  ["May I skip the tests?", ["R5"]],
  ["write the failing test, then implement the parser", []],
  ["implement the parser, then write the tests", ["R4"]],
  ["I'm not skipping the tests, just leaving the slow ones out before merging", ["R5"]],
  ["I'll skipp teh tests", ["R5"]],
  ["`git commit --no-verify` it is", ["R5"]],
  ["Never use `git commit --no-verify`", []],
])("reads negation, mention, questions, order and typos: %s", (text, flags) => {
  expect(ids(text)).toEqual(flags);
});

test("names every flag of a text, each once, with the words that raised it", () => {
  const { verdict, flags } = judge(
    "Merge now, tests come in a follow-up. This should work. I create a new repo for it.",
  );
  expect(verdict).toBe("STOP");
  expect(flags.map(({ id }) => id)).toEqual(["R1", "R2", "R4", "R5"]);
  expect(flags.every(({ match }) => match.length > 0)).toBe(true);
});

test("goes on with a MEDIUM flag, and stops at it when told to", () => {
  const text = "I renamed the flag, it should work now.";
  expect(judge(text)).toMatchObject({ verdict: "PROCEED", flags: [{ id: "R2", severity: "MEDIUM" }] });
  expect(judge(text, { stopAt: "MEDIUM" }).verdict).toBe("STOP");
});

test("lets an allowed rule through until its day is over, and not a moment longer", () => {
  const allow = [{ id: "R1", until: "2026-11-30", reason: "the split was decided" }];
  const text = "create a new repo for the SDK";
  const during = judge(text, { allow, now: Date.parse("2026-11-30T23:00:00Z") });
  expect(during).toMatchObject({
    verdict: "PROCEED",
    flags: [],
    allowed: [{ id: "R1", until: "2026-11-30" }],
  });
  const after = judge(text, { allow, now: Date.parse("2026-12-01T00:00:00Z") });
  expect(after).toMatchObject({ verdict: "STOP", allowed: [] });
});

test("an allowance of one rule lets no other through", () => {
  const allow = [{ id: "R4", until: "2099-01-01", reason: "spike" }];
  expect(judge("Merge now, tests come in a follow-up.", { allow, now: 0 }).verdict).toBe("STOP");
});

test("ends in time on text made to be slow", () => {
  const long = `${"tests and tests without the tests before the tests, ".repeat(4000)} and (((`;
  expect(["STOP", "PROCEED"]).toContain(judge(long).verdict);
});

test("says why a place that looked like a flag is none", () => {
  const { excused } = explain("Don't disable the flaky test.");
  expect(excused.map(({ id, reason }) => [id, reason])).toContainEqual(["R5", "negated"]);
});

test("words that every object knows are words like any other", () => {
  for (const word of ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"])
    expect(judge(`Skip the ${word} tests and fix the ${word}.`).verdict).toBe("STOP");
});

test("names the words that spoke most for a flag", () => {
  const { learned } = explain("I'll skip the tests for this one");
  expect(learned).toEqual([{ id: "R5", words: expect.arrayContaining(["skip"]) }]);
});

test("says which rules are switched off, and where one of them would have spoken", () => {
  const { verdict, flags, disabled } = judge("skip the tests", { disable: ["R1", "R5"] });
  expect({ verdict, flags }).toEqual({ verdict: "PROCEED", flags: [] });
  expect(disabled).toEqual([
    { id: "R1", severity: "HIGH" },
    { id: "R5", severity: "HIGH", match: "skip the tests" },
  ]);
});

test("holds a command of a tool call to more than a sentence", () => {
  const stops = (isCommand: boolean) =>
    readLabelled("test").filter(({ text }) => judge(text, { isCommand }).verdict === "STOP").length;
  expect(stops(true)).toBeLessThan(stops(false));
});
