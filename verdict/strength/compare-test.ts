import type { StrengthKind } from "./kinds.ts";
import { moreBy, moreOf } from "./pair-tests.ts";
import { type Assertion, CHECKS_BY_NAME, type TestCase } from "./source-model.ts";

/** Functions that assert something, with how much. */
export type Helpers = ReadonlyMap<string, number>;

/** What is around the two versions of a test. */
export type Around = {
  base: Helpers;
  head: Helpers;
  /** literals that went out of tests, to where several can use them */
  hoisted: readonly string[];
  /** tests that are new: what a test lost may have gone there */
  added: readonly TestCase[];
};

export type Said = { kind: StrengthKind; line: number; message: string };

const DEFAULT_TIMEOUT_MS = 5_000;

export const said = (kind: StrengthKind, line: number, message: string): Said => ({ kind, line, message });

export const holds = ({ strength, isSwallowed }: Assertion): boolean => strength > 0 && isSwallowed !== true;

export const FOCUSED = "is focused (.only): the others do not run";

export const titleOf = ({ name }: TestCase): string => JSON.stringify(name.replaceAll('"', ""));

const helperCalls = (test: TestCase, helpers: Helpers): number =>
  test.calls.filter((name) => helpers.get(name) ?? CHECKS_BY_NAME.test(name)).length;

export const isCheck = (test: TestCase, helpers: Helpers): boolean =>
  test.assertions.some(holds) || helperCalls(test, helpers) > 0;

/** How much the strongest of some assertions hold together. */
export const strengthOf = (assertions: readonly Assertion[], count: number): number =>
  assertions
    .map(({ strength }) => strength)
    .toSorted((one, other) => other - one)
    .slice(0, count)
    .reduce<number>((total, strength) => total + strength, 0);

const withoutTexts = (own: readonly Assertion[], other: readonly Assertion[]): Assertion[] =>
  moreBy(own, other, ({ text }) => text);

const literalsOf = (assertions: readonly Assertion[]): string[] =>
  assertions.flatMap(({ literals }) => literals);

/** What one test does not say any more, and what it says now. */
type Change = {
  before: Assertion[];
  after: Assertion[];
  lost: Assertion[];
  gained: Assertion[];
  lostLiterals: string[];
  /** what constants stood for in assertions whose words did not change, and do no more */
  renamed: string[];
  gainedLiterals: string[];
  helped: { before: number; after: number };
};

const readChange = (base: TestCase, head: TestCase, around: Around): Change => {
  const before = base.assertions.filter(holds);
  const after = head.assertions.filter(holds);
  const all = withoutTexts(before, after);
  const lost = withoutTexts(
    all,
    around.added.flatMap(({ assertions }) => assertions.filter(holds)),
  );
  const moved = lost.length < all.length ? around.added.flatMap(({ literals }) => literals) : [];
  const gone = moreOf(base.literals, head.literals);
  return {
    before,
    after,
    lost,
    gained: withoutTexts(after, before),
    lostLiterals: moreOf(gone, [...around.hoisted, ...moved]),
    renamed: all.length > 0 ? [] : moreOf(moreOf(literalsOf(before), literalsOf(after)), around.hoisted),
    gainedLiterals: moreOf(head.literals, base.literals),
    helped: { before: helperCalls(base, around.base), after: helperCalls(head, around.head) },
  };
};

/** An assertion that cannot fail where there was one that could. */
const findIdle = (base: TestCase, head: TestCase, { before, after, helped }: Change): Said | undefined => {
  const [idle] = withoutTexts(
    head.assertions.filter((each) => !holds(each)),
    base.assertions.filter((each) => !holds(each)),
  );
  const isLess = after.length + helped.after < before.length + helped.before;
  if (isLess && idle) {
    const [kind, why] =
      idle.isSwallowed === true
        ? (["assertion-swallowed", "its failure is caught, or it is never reached"] as const)
        : (["always-true", idle.problem ?? "it holds always"] as const);
    return said(kind, idle.line, `an assertion of ${titleOf(head)} cannot fail any more: ${why}`);
  }
  return before.length + helped.before > 0 && after.length + helped.after === 0
    ? said("test-emptied", head.line, `the test ${titleOf(head)} no longer asserts anything`)
    : undefined;
};

/** Fewer assertions, or weaker ones. Values that went into a table or one bigger comparison are still there. */
const findWeaker = (head: TestCase, change: Change): Said | undefined => {
  const { lost, gained, lostLiterals, helped, before, after } = change;
  if (lost.length === 0) return undefined;
  const named = new Set(literalsOf(gained));
  const wasNamed = new Set(literalsOf(lost));
  const isAsExact = gained.length > 0 && strengthOf(gained, 1) >= strengthOf(lost, 1);
  if (isAsExact && lostLiterals.length === 0 && named.size < wasNamed.size) return undefined;
  if (gained.length < lost.length) {
    const isMerged = isAsExact && [...wasNamed].every((literal) => named.has(literal));
    const isHelped = helped.after > helped.before && lostLiterals.length === 0;
    // `toBeDefined()` beside `toBe(3)` says nothing of its own.
    const isIdle =
      lost.every(({ direct, literals }) => (direct ?? literals).length === 0) &&
      strengthOf(lost, 1) <= 1 &&
      strengthOf(after, 1) >= 3;
    return isMerged || isHelped || isIdle
      ? undefined
      : said(
          "assertions-fewer",
          head.line,
          `the test ${titleOf(head)} asserts less: ${before.length} before, ${after.length} now`,
        );
  }
  return strengthOf(gained, lost.length) < strengthOf(lost, lost.length) && helped.after <= helped.before
    ? said(
        "assertion-loosened",
        gained[0]?.line ?? head.line,
        `an assertion of ${titleOf(head)} accepts more than it did`,
      )
    : undefined;
};

const shown = (literals: readonly string[]): string =>
  [...new Set(literals)].slice(0, 3).join(", ").slice(0, 80);

/** Other values than before. Whether that is right, no rule can say. */
const findOther = (
  head: TestCase,
  { lost, gained, lostLiterals, gainedLiterals, renamed }: Change,
): Said | undefined => {
  const line = gained[0]?.line ?? head.line;
  if (lostLiterals.length > 0 && lost.length === 0 && gainedLiterals.length === 0) {
    const message = `the test ${titleOf(head)} has fewer cases: without ${shown(lostLiterals)}`;
    return said("assertions-fewer", line, message);
  }
  const gone = lostLiterals.length > 0 ? lostLiterals : renamed;
  const message = `the test ${titleOf(head)} expects something else: ${shown(gone)} is gone`;
  return gone.length > 0 ? said("expectation-changed", line, message) : undefined;
};

const findLimits = (base: TestCase, head: TestCase): Said[] => {
  const found: Said[] = [];
  const add = (kind: StrengthKind, what: string, before: string | number): void =>
    void found.push(said(kind, head.line, `the test ${titleOf(head)} ${what}; before: ${before}`));
  if ((head.timeoutMs ?? 0) > (base.timeoutMs ?? DEFAULT_TIMEOUT_MS))
    add("timeout-raised", `may take ${head.timeoutMs} ms`, base.timeoutMs ?? "the default");
  if ((head.retries ?? 0) > (base.retries ?? 0))
    add("retries-raised", `may be retried ${head.retries} times`, base.retries ?? 0);
  return found;
};

/** How one test is weaker than it was. */
export const compareTest = (base: TestCase, head: TestCase, around: Around): Said[] => {
  if (head.off !== undefined && base.off === undefined)
    return [
      said(
        "test-skipped",
        head.offLine ?? head.line,
        `the test ${titleOf(head)} is now skipped: ${head.off}`,
      ),
    ];
  const change = readChange(base, head, around);
  const focused =
    head.isFocused === true && base.isFocused !== true
      ? [said("test-focused", head.line, `the test ${titleOf(head)} ${FOCUSED}`)]
      : [];
  const weaker = findIdle(base, head, change) ?? findWeaker(head, change) ?? findOther(head, change);
  return [...focused, ...(weaker ? [weaker] : []), ...findLimits(base, head)];
};
