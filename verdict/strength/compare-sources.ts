import {
  type Around,
  compareTest,
  FOCUSED,
  type Helpers,
  holds,
  isCheck,
  type Said,
  said,
  strengthOf,
  titleOf,
} from "./compare-test.ts";
import type { StrengthFinding } from "./kinds.ts";
import { type ChangedSource, moreOf, type Pairs, type PlacedTest, pairTests } from "./pair-tests.ts";
import type { TestCase } from "./source-model.ts";

/** The cases of a test that is gone stand in another one: a table, a bigger test. */
const isTakenOver = (gone: TestCase, added: readonly PlacedTest[], helpers: Helpers): boolean =>
  gone.literals.length > 0 &&
  added.some(
    ({ test }) =>
      test.off === undefined &&
      isCheck(test, helpers) &&
      strengthOf(test.assertions.filter(holds), 1) >= strengthOf(gone.assertions.filter(holds), 1) &&
      moreOf(gone.literals, test.literals).length === 0 &&
      gone.calls.some((call) => test.calls.includes(call)),
  );

type Placed = Said & { file: string };

const placed = (file: string, ...about: Parameters<typeof said>): Placed => ({ file, ...said(...about) });

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

/** Tests that are gone, and what took their place. */
const findGone = (
  changed: readonly ChangedSource[],
  { pairs, gone: missing, added }: Pairs,
  helpers: Helpers,
): Placed[] => {
  const grown = pairs
    .filter(({ base, head }) => head.test.literals.length > base.test.literals.length)
    .map(({ base, head }) => ({
      file: head.file,
      test: { ...head.test, literals: moreOf(head.test.literals, base.test.literals) },
    }));
  const subjects = definedIn(changed, "base");
  for (const name of definedIn(changed, "head")) subjects.delete(name);
  return missing
    .filter(({ test }) => test.off === undefined && !isTakenOver(test, [...added, ...grown], helpers))
    .map(({ file, test }) => {
      const subject = test.calls.find((call) => subjects.has(call));
      const gone = `the test ${titleOf(test)} is gone`;
      const kind = subject === undefined ? "test-removed" : "removed-with-subject";
      const more = subject === undefined ? "" : ` together with ${subject}, which it tested`;
      return placed(file, kind, test.line, `${gone}${more}`);
    });
};

/** New tests that keep others from running, or check nothing but constants. */
const findHollow = (added: readonly PlacedTest[], helpers: Helpers): Placed[] =>
  added.flatMap(({ file, test }) => {
    const constant = test.assertions.find(({ isConstant }) => isConstant);
    const title = `the new test ${titleOf(test)}`;
    if (test.isFocused === true) return [placed(file, "test-focused", test.line, `${title} ${FOCUSED}`)];
    if (!constant || isCheck(test, helpers)) return [];
    const why = constant.problem ?? "is always true";
    return [placed(file, "always-true", constant.line, `${title} cannot fail: it ${why}`)];
  });

/** Helpers of the tests that assert less than they did. */
const findHelpers = (changed: readonly ChangedSource[]): Placed[] => {
  const tests = new Set(
    changed.flatMap(({ base }) => (base?.tests ?? []).map(({ name }) => name.split(/\.|::/).at(-1))),
  );
  return changed.flatMap(({ file, base, head }) =>
    [...(head?.isTest === true ? (base?.defined ?? []) : [])].flatMap(([name, count]) => {
      const now = head?.defined.get(name);
      if (now === undefined || now >= count || tests.has(name)) return [];
      const [kind, what] =
        now === 0
          ? (["test-emptied", "no longer asserts anything"] as const)
          : (["assertions-fewer", `asserts less: ${count} before, ${now} now`] as const);
      return [placed(file, kind, 1, `the helper ${name} ${what}`)];
    }),
  );
};

/** Tests of Python that another one of the same name stands in front of: only the last one runs. */
const findHidden = (changed: readonly ChangedSource[]): Placed[] =>
  changed.flatMap(({ file, base, head }): Placed[] => {
    if (head?.language !== "Python") return [];
    const [before, now] = [base, head].map((model) => (model?.tests ?? []).map(({ name }) => name));
    return moreOf(now ?? [], [...new Set(now), ...moreOf(before ?? [], [...new Set(before)])]).map((name) => {
      const line = head.tests.findLast((test) => test.name === name)?.line ?? 1;
      return placed(file, "test-removed", line, `the test ${name} is defined twice: only the last one runs`);
    });
  });

/** How the tests of the changed sources became weaker. */
export const compareTestsOf = (changed: readonly ChangedSource[]): StrengthFinding[] => {
  const found = pairTests(changed);
  const around: Around = {
    base: helpersOf(changed, "base"),
    head: helpersOf(changed, "head"),
    hoisted: moreOf(looseIn(changed, "head"), looseIn(changed, "base")),
    added: found.added.map(({ test }) => test).filter(({ off }) => off === undefined),
  };
  const languages = new Map(changed.map(({ file, base, head }) => [file, (head ?? base)?.language ?? ""]));
  return [
    ...found.pairs.flatMap(({ base, head }) =>
      compareTest(base.test, head.test, around).map((each) => ({ file: head.file, ...each })),
    ),
    ...findGone(changed, found, around.head),
    ...findHollow(found.added, around.head),
    ...findHelpers(changed),
    ...findHidden(changed),
  ].map((each) => ({ ...each, language: languages.get(each.file) ?? "" }));
};
