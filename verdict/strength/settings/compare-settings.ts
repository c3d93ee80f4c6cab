import type { StrengthFinding, StrengthKind } from "../kinds.ts";
import { moreBy } from "../pair-tests.ts";
import { type Fact, readSettings } from "./read-settings.ts";
import { isRulesFile, isSwitchFile } from "./settings-files.ts";

const DEFAULT_TIMEOUTS: Record<string, number> = { testTimeout: 5_000, hookTimeout: 10_000 };

const namesIn = (facts: readonly Fact[]): string[] => [...new Set(facts.map(({ name }) => name))];

const valuesOf = (facts: readonly Fact[], name: string): Fact[] =>
  facts.filter((fact) => fact.name === name).toSorted((one, other) => one.value - other.value);

/** Facts of HEAD whose text the base has not, or not as often. */
const added = (base: readonly Fact[], head: readonly Fact[]): Fact[] =>
  moreBy(head, base, ({ text }) => text);

/** How a settings file lets more pass than it did. `head` is undefined where it is gone. */
export const compareSettings = (
  file: string,
  baseText: string,
  headText: string | undefined,
): StrengthFinding[] => {
  const [base, head] = [readSettings(file, baseText), readSettings(file, headText ?? "")];
  const findings: StrengthFinding[] = [];
  const add = (kind: StrengthKind, line: number, message: string): void => {
    findings.push({ kind, file, line, message, language: "settings" });
  };
  for (const name of namesIn(base.thresholds)) {
    const [before, now] = [valuesOf(base.thresholds, name), valuesOf(head.thresholds, name)];
    const low = now.find(({ value }, index) => value < (before[index]?.value ?? value));
    if (low) add("threshold-lowered", low.line, `the threshold ${name} is ${low.value} now`);
    else if (now.length < before.length)
      add("threshold-lowered", before[0]?.line ?? 1, `the threshold ${name} of ${before[0]?.value} is gone`);
  }
  for (const [list, kind] of [
    ["timeouts", "timeout-raised"],
    ["retries", "retries-raised"],
  ] as const)
    for (const name of namesIn(head[list])) {
      const [before, now] = [valuesOf(base[list], name), valuesOf(head[list], name)];
      const limit = list === "retries" ? 0 : (DEFAULT_TIMEOUTS[name] ?? Number.POSITIVE_INFINITY);
      const high = now.find(({ value }, index) => value > (before[index]?.value ?? limit));
      if (high)
        add(kind, high.line, `${name} is ${high.value} now, before ${before.at(-1)?.value ?? "the default"}`);
    }
  for (const { line, text } of added(base.swallowed, head.swallowed))
    add("exit-swallowed", line, `a failure counts for nothing: ${text.slice(0, 100)}`);
  for (const name of namesIn(base.tools)) {
    const before = valuesOf(base.tools, name);
    if (valuesOf(head.tools, name).length < before.length)
      add(
        "check-removed",
        before[0]?.line ?? 1,
        `${name} is called less often than it was: ${before[0]?.text.slice(0, 100)}`,
      );
  }
  const wasWhole = base.runs.filter(({ name }) => name === "").length;
  const isWhole = head.runs.filter(({ name }) => name === "").length;
  const [part] = head.runs.filter(({ name }) => name !== "" && !base.runs.some((run) => run.name === name));
  if (part && isWhole < wasWhole)
    add("tests-narrowed", part.line, `only ${part.name.slice(0, 80)} is run now, before it was everything`);
  const isRules = isRulesFile(file);
  const kind = isRules ? "rule-relaxed" : "tests-narrowed";
  for (const { line, text, name } of added(base.excluded, head.excluded))
    add(kind, line, `${name} leaves out ${text.slice(0, 80)}`);
  for (const { line, text, name } of added(head.included, base.included))
    if (headText !== undefined) add(kind, line, `${name} no longer takes in ${text.slice(0, 80)}`);
  for (const name of namesIn(head.included))
    if (
      valuesOf(base.included, name).length === 0 &&
      /^(?:include|testMatch|testRegex|testpaths|python_\w+)$/.test(name)
    )
      add(kind, valuesOf(head.included, name)[0]?.line ?? 1, `${name} takes in less than the default did`);
  for (const name of namesIn(base.rules)) {
    const [before, now] = [valuesOf(base.rules, name), valuesOf(head.rules, name)];
    const weak = now.find(({ value }, index) => value < (before[index]?.value ?? 2));
    if (weak) add("rule-relaxed", weak.line, `${name} is less strict than it was: ${weak.text.slice(0, 80)}`);
    else if (now.length < before.length && (before[0]?.value ?? 0) > 0)
      add("rule-relaxed", before[0]?.line ?? 1, `${name} is gone: ${before[0]?.text.slice(0, 80)}`);
  }
  for (const { line, name, text, value } of added(base.rules, head.rules))
    if (value === 0 && isSwitchFile(file) && valuesOf(base.rules, name).length === 0)
      add("rule-relaxed", line, `${name} is switched off: ${text.slice(0, 80)}`);
  return findings;
};
