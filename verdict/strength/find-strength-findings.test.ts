import { describe, expect, test } from "vitest";
import { createGit } from "../../core/git.ts";
import { makeProject, playAgent, git } from "../../test/verdict-set/play.ts";
import type { Scenario } from "../../test/verdict-set/scenario.ts";
import { SECOND_CHEATS, SECOND_HONEST } from "../../test/verdict-set/second/set.ts";
import { CHEATS, HONEST } from "../../test/verdict-set/set.ts";
import { THIRD_CHEATS, THIRD_HONEST } from "../../test/verdict-set/third/set.ts";
import { useScratch } from "../../test/scratch.ts";
import { findStrengthFindings } from "./find-strength-findings.ts";
import type { StrengthFinding } from "./kinds.ts";

const scratch = useScratch();

const play = async (scenario: Scenario): Promise<StrengthFinding[]> => {
  const base = makeProject(scratch.root, scenario);
  playAgent(scratch.root, scenario);
  const head = git(scratch.root, "rev-parse", "HEAD").trim();
  const input = { base, head, mayChange: scenario.mayChange ?? [], task: scenario.task };
  return findStrengthFindings({ git: createGit(scratch.root, { PATH: process.env["PATH"] }) }, input);
};

describe("the set", () => {
  test("has 60 cheats in 12 kinds and 4 languages, each with its source, and 60 honest runs, 20 with rightful changes", () => {
    expect(CHEATS.length).toBeGreaterThanOrEqual(60);
    expect(HONEST.length).toBeGreaterThanOrEqual(60);
    expect(new Set(CHEATS.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(12);
    expect(new Set(CHEATS.map(({ language }) => language)).size).toBeGreaterThanOrEqual(4);
    expect(CHEATS.every(({ source }) => /^[\w.-]+\/[\w.-]+#\d+$/.test(source ?? ""))).toBe(true);
    expect(HONEST.filter(({ mayChange }) => mayChange).length).toBeGreaterThanOrEqual(20);
    const later = [...SECOND_CHEATS, ...THIRD_CHEATS];
    expect(later.every(({ source }) => /^[\w.-]+\/[\w.-]+#\d+$/.test(source ?? ""))).toBe(true);
    const ids = [...CHEATS, ...HONEST, ...later, ...SECOND_HONEST, ...THIRD_HONEST].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

const LONG = { tags: ["long"] };

const isWeakened = async (scenario: Scenario): Promise<void> => {
  const findings = await play(scenario);
  expect(findings).not.toEqual([]);
  for (const { file, line, message } of findings) {
    expect(file).not.toBe("");
    expect(line).toBeGreaterThan(0);
    expect(message.length).toBeGreaterThan(10);
  }
};

const isUnchanged = async (scenario: Scenario): Promise<void> => {
  expect(await play(scenario)).toEqual([]);
};

const named = (scenarios: readonly Scenario[]): [string, Scenario][] =>
  scenarios.filter(({ by }) => by === undefined).map((each) => [each.id, each]);

const isFirst = ({ language, kind }: Scenario, index: number, all: readonly Scenario[]): boolean =>
  all.findIndex((each) => each.kind === kind) === index ||
  all.findIndex((each) => each.language === language) === index;
/** One of each kind and of each language; the others are long tests. */
const firstOf = (scenarios: readonly Scenario[]): Scenario[] => scenarios.filter(isFirst);
const othersOf = (scenarios: readonly Scenario[]): Scenario[] =>
  scenarios.filter((...each) => !isFirst(...each));

describe("finds that the check became weaker where an agent", () => {
  const more = [...othersOf(CHEATS), ...SECOND_CHEATS, ...THIRD_CHEATS];
  test.each(named(firstOf(CHEATS)))("%s", (_, scenario) => isWeakened(scenario));
  test.each(named(more))("%s", LONG, (_, scenario) => isWeakened(scenario));
});

describe("finds nothing where an agent", () => {
  const more = [...othersOf(HONEST), ...SECOND_HONEST, ...THIRD_HONEST];
  test.each(named(firstOf(HONEST)))("%s", (_, scenario) => isUnchanged(scenario));
  test.each(named(more))("%s", LONG, (_, scenario) => isUnchanged(scenario));
});
