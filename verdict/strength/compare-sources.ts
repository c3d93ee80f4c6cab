import type { StrengthFinding, StrengthKind } from "./kinds.ts";
import { type ChangedSource, moreOf, type PlacedTest, pairTests } from "./pair-tests.ts";
import { type Assertion, CHECKS_BY_NAME, type TestCase } from "./source-model.ts";

type Helpers = ReadonlyMap<string, number>;
type Side = { helpers: Helpers; loose: (file: string) => readonly string[] };

const DEFAULT_TIMEOUT_MS = 5_000;

const holds = ({ strength, isSwallowed }: Assertion): boolean => strength > 0 && isSwallowed !== true;

const helperCalls = (test: TestCase, helpers: Helpers): number =>
  test.calls.filter((name) => helpers.get(name) ?? CHECKS_BY_NAME.test(name)).length;

const isCheck = (test: TestCase, helpers: Helpers): boolean =>
  test.assertions.some(holds) || helperCalls(test, helpers) > 0;

const sum = (assertions: readonly Assertion[], count: number): number =>
  assertions
    .map(({ strength }) => strength)
    .toSorted((one, other) => other - one)
    .slice(0, count)
    .reduce<number>((total, strength) => total + strength, 0);

type Said = { kind: StrengthKind; line: number; message: string };

const said = (kind: StrengthKind, line: number, message: string): Said => ({ kind, line, message });

const withoutTexts = (own: readonly Assertion[], other: readonly Assertion[]): Assertion[] => {
  const texts = moreOf(
    own.map(({ text }) => text),
    other.map(({ text }) => text),
  );
  return own.filter(({ text }) => {
    const at = texts.indexOf(text);
    if (at >= 0) texts.splice(at, 1);
    return at >= 0;
  });
};

const shown = (literals: readonly string[]): string =>
  [...new Set(literals)].slice(0, 3).join(", ").slice(0, 80);

/** How one test is weaker than it was. */
const compareTest = (
  base: TestCase,
  head: TestCase,
  sides: { base: Helpers; head: Helpers; hoisted: readonly string[] },
): Said[] => {
  const name = JSON.stringify(head.name.replaceAll('"', ""));
  if (head.off !== undefined && base.off === undefined)
    return [said("test-skipped", head.offLine ?? head.line, `the test ${name} is skipped now: ${head.off}`)];
  const found: Said[] = [];
  if (head.isFocused === true && base.isFocused !== true)
    found.push(said("test-focused", head.line, `the test ${name} is focused (.only): the others do not run`));
  const before = base.assertions.filter(holds);
  const after = head.assertions.filter(holds);
  const [helpedBefore, helpedAfter] = [helperCalls(base, sides.base), helperCalls(head, sides.head)];
  const idle = withoutTexts(
    head.assertions.filter((each) => !holds(each)),
    base.assertions.filter((each) => !holds(each)),
  );
  const fell = after.length + helpedAfter < before.length + helpedBefore;
  const [empty] = idle;
  if (fell && empty) {
    const kind = empty.isSwallowed === true ? "assertion-swallowed" : "always-true";
    const why =
      empty.isSwallowed === true
        ? "its failure is caught, or it is never reached"
        : (empty.problem ?? "it holds always");
    return [...found, said(kind, empty.line, `an assertion of ${name} cannot fail any more: ${why}`)];
  }
  if (before.length + helpedBefore > 0 && after.length + helpedAfter === 0)
    return [...found, said("test-emptied", head.line, `the test ${name} asserts nothing any more`)];
  const lost = withoutTexts(before, after);
  const gained = withoutTexts(after, before);
  const lostLiterals = moreOf(moreOf(base.literals, head.literals), sides.hoisted);
  const gainedLiterals = moreOf(head.literals, base.literals);
  const named = new Set(gained.flatMap(({ literals }) => literals));
  const wasNamed = lost.flatMap(({ literals }) => literals);
  const isAsExact = gained.length > 0 && sum(gained, 1) >= sum(lost, 1);
  // The values went from the assertions into a table that they go through.
  const isTabled = isAsExact && lostLiterals.length === 0 && named.size < new Set(wasNamed).size;
  if (isTabled) return [...found, ...compareLimits(base, head, name)];
  if (fell && gained.length < lost.length) {
    const isMerged = isAsExact && wasNamed.every((literal) => named.has(literal));
    const isHelped = helpedAfter > helpedBefore && lostLiterals.length === 0;
    if (!isMerged && !isHelped)
      return [
        ...found,
        said(
          "assertions-fewer",
          head.line,
          `the test ${name} asserts less: ${before.length} before, ${after.length} now`,
        ),
      ];
  } else if (sum(gained, lost.length) < sum(lost, lost.length) && helpedAfter <= helpedBefore) {
    const line = gained[0]?.line ?? head.line;
    return [...found, said("assertion-loosened", line, `an assertion of ${name} accepts more than it did`)];
  }
  if (lostLiterals.length > 0) {
    const isFewer = lost.length === 0 && gainedLiterals.length === 0;
    const words = isFewer
      ? `has fewer cases: without ${shown(lostLiterals)}`
      : `expects something else: ${shown(lostLiterals)} is gone`;
    const line = gained[0]?.line ?? head.line;
    found.push(said(isFewer ? "assertions-fewer" : "expectation-changed", line, `the test ${name} ${words}`));
  }
  return [...found, ...compareLimits(base, head, name)];
};

const compareLimits = (base: TestCase, head: TestCase, name: string): Said[] => {
  const found: Said[] = [];
  if ((head.timeoutMs ?? 0) > (base.timeoutMs ?? DEFAULT_TIMEOUT_MS))
    found.push(
      said(
        "timeout-raised",
        head.line,
        `the test ${name} may take ${head.timeoutMs} ms, before ${base.timeoutMs ?? "the default"}`,
      ),
    );
  if ((head.retries ?? 0) > (base.retries ?? 0))
    found.push(
      said(
        "retries-raised",
        head.line,
        `the test ${name} is tried again ${head.retries} times, before ${base.retries ?? 0}`,
      ),
    );
  return found;
};

/** The cases of a test that is gone stand in another one: a table, a bigger test. */
const isTakenOver = (gone: TestCase, added: readonly PlacedTest[], helpers: Helpers): boolean =>
  gone.literals.length > 0 &&
  added.some(
    ({ test }) =>
      test.off === undefined &&
      isCheck(test, helpers) &&
      sum(test.assertions.filter(holds), 1) >= sum(gone.assertions.filter(holds), 1) &&
      moreOf(gone.literals, test.literals).length === 0 &&
      gone.calls.some((call) => test.calls.includes(call)),
  );

const helpersOf = (changed: readonly ChangedSource[], side: "base" | "head"): Helpers =>
  new Map(
    changed
      .flatMap(({ [side]: model }) => (model?.isTest === true ? [...model.defined] : []))
      .filter(([, count]) => count > 0),
  );

const definedIn = (changed: readonly ChangedSource[], side: "base" | "head"): Set<string> =>
  new Set(changed.flatMap(({ [side]: model }) => (model && !model.isTest ? [...model.defined.keys()] : [])));

/** Literals that a file has outside of its tests. */
const looseIn = (changed: readonly ChangedSource[], side: "base" | "head"): string[] =>
  changed.flatMap(({ [side]: model }) =>
    model?.isTest === true
      ? moreOf(
          model.literals,
          model.tests.flatMap(({ literals }) => literals),
        )
      : [],
  );

/** How the tests of the changed sources became weaker. */
export const compareTestsOf = (changed: readonly ChangedSource[]): StrengthFinding[] => {
  const base: Side["helpers"] = helpersOf(changed, "base");
  const head: Side["helpers"] = helpersOf(changed, "head");
  const hoisted = moreOf(looseIn(changed, "head"), looseIn(changed, "base"));
  const { pairs, gone, added } = pairTests(changed);
  const language = (file: string): string => {
    const source = changed.find((each) => each.file === file);
    return (source?.head ?? source?.base)?.language ?? "";
  };
  const findings: StrengthFinding[] = [];
  const add = (file: string, found: readonly Said[]): void => {
    for (const each of found) findings.push({ ...each, file, language: language(file) });
  };
  for (const pair of pairs)
    add(pair.head.file, compareTest(pair.base.test, pair.head.test, { base, head, hoisted }));
  const grown = pairs
    .filter((pair) => pair.head.test.literals.length > pair.base.test.literals.length)
    .map((pair) => ({
      file: pair.head.file,
      test: { ...pair.head.test, literals: moreOf(pair.head.test.literals, pair.base.test.literals) },
    }));
  const subjects = definedIn(changed, "base");
  for (const name of definedIn(changed, "head")) subjects.delete(name);
  for (const { file, test } of gone) {
    if (test.off !== undefined || isTakenOver(test, [...added, ...grown], head)) continue;
    const subject = test.calls.find((call) => subjects.has(call));
    const name = JSON.stringify(test.name.replaceAll('"', ""));
    add(file, [
      subject === undefined
        ? said("test-removed", test.line, `the test ${name} is gone`)
        : said(
            "removed-with-subject",
            test.line,
            `the test ${name} is gone together with ${subject}, which it tested`,
          ),
    ]);
  }
  for (const { file, test } of added) {
    const name = JSON.stringify(test.name.replaceAll('"', ""));
    if (test.isFocused === true)
      add(file, [
        said("test-focused", test.line, `the new test ${name} is focused (.only): the others do not run`),
      ]);
    const [constant] = test.assertions.filter(({ isConstant }) => isConstant);
    if (constant && !isCheck(test, head))
      add(file, [
        said(
          "always-true",
          constant.line,
          `the new test ${name} cannot fail: it ${constant.problem ?? "holds always"}`,
        ),
      ]);
  }
  const names = new Set(
    [...pairs.map(({ base: { test } }) => test), ...gone.map(({ test }) => test)].map(({ name }) =>
      name.split(/\.|::/).at(-1),
    ),
  );
  for (const { file, base: before, head: after } of changed)
    for (const [name, count] of after?.isTest === true ? (before?.defined ?? []) : []) {
      if (names.has(name)) continue;
      const now = after?.defined.get(name);
      if (count > 0 && now === 0)
        add(file, [said("test-emptied", 1, `the helper ${name} asserts nothing any more`)]);
      else if (now !== undefined && now < count)
        add(file, [
          said("assertions-fewer", 1, `the helper ${name} asserts less: ${count} before, ${now} now`),
        ]);
    }
  return findings;
};
