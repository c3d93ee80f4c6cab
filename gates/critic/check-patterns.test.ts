import { expect, test } from "vitest";
import { listCriticFaults } from "./check-patterns.ts";
import { judge } from "./judge.ts";
import { findOwnFlags } from "./own-patterns.ts";
import { readText } from "./reader/sentences.ts";

const pattern = {
  id: "no-force-push",
  severity: "HIGH" as const,
  pattern: "push (?:--force|-f)\\b",
  message: "Overwrites what others pushed.",
  suggestion: "Push with --force-with-lease.",
  match: ["git push --force origin main"],
  noMatch: ["git push origin main"],
};
const paths = (declared: Parameters<typeof listCriticFaults>[0]) =>
  listCriticFaults(declared).map(({ path }) => path);

test("finds no fault in a sound pattern, and the pattern flags and is excused like a built-in rule", () => {
  expect(listCriticFaults({ patterns: [pattern] })).toEqual([]);
  const flags = (text: string) => judge(text, { own: findOwnFlags(readText(text), [pattern]) }).flags;
  expect(flags("git push -f").map(({ id }) => id)).toEqual(["no-force-push"]);
  expect(flags("Never git push -f.")).toEqual([]);
});

test("a broken expression, and one that fits everything, are named with their place", () => {
  expect(paths({ patterns: [{ ...pattern, pattern: "push (" }] })).toEqual(["critic.patterns[0].pattern"]);
  expect(paths({ patterns: [{ ...pattern, pattern: "x*" }] })).toEqual(["critic.patterns[0].pattern"]);
});

test("examples are run: one that is not flagged, and one that is and should not be", () => {
  expect(paths({ patterns: [{ ...pattern, match: ["git push origin main"] }] })).toEqual([
    "critic.patterns[0].match[0]",
  ]);
  expect(paths({ patterns: [{ ...pattern, noMatch: ["git push --force"] }] })).toEqual([
    "critic.patterns[0].noMatch[0]",
  ]);
});

test("a rule that fires on its own suggestion is a fault", () => {
  expect(paths({ patterns: [{ ...pattern, suggestion: "git push --force, but tell the team" }] })).toEqual([
    "critic.patterns[0].suggestion",
  ]);
});

test("a rule that can never fire is a fault: switched off, or shadowed by its own twin", () => {
  expect(paths({ patterns: [pattern], disable: ["no-force-push"] })).toEqual(["critic.patterns[0].id"]);
  expect(paths({ patterns: [pattern, pattern] })).toEqual(["critic.patterns[1].id"]);
});

test("unknown ids and dates that are none are named with the nearest known one", () => {
  const faults = listCriticFaults({
    patterns: [pattern],
    disable: ["R9"],
    allow: [{ id: "no-force-psh", until: "tomorrow", reason: "x" }],
  });
  expect(faults.map(({ path }) => path)).toEqual([
    "critic.disable[0]",
    "critic.allow[0].id",
    "critic.allow[0].until",
  ]);
  expect(faults[1]?.message).toContain('did you mean "no-force-push"?');
});
