import type { GatesAnswer } from "./judge-ports.ts";
import type { TestComparison } from "./strength/compare-tests.ts";
import { STRENGTH_KINDS, type StrengthFinding } from "./strength/kinds.ts";
import type { Reason, SealedChange, VerdictWord } from "./verdict.ts";

/** What the changes of sealed files weigh: allowed at the start, for a person to say, or refused. */
export const weighChanges = (changes: readonly SealedChange[]): Reason[] =>
  changes
    .filter(({ isAllowed }) => !isAllowed)
    .map(({ path, change, rule, isNamed }) => ({
      kind: "sealed",
      weight: isNamed ? "undecided" : "refused",
      file: path,
      message: isNamed
        ? `was ${change} (${rule}); the task names it, so a person has to say whether this is what was meant`
        : `was ${change}; it is sealed (${rule}): put it back, or leave it to a person`,
    }));

/** Characters of what the gates said that a reason carries. */
const MOST_REPORT = 4_000;

const CLEAN = "in a clean checkout of the commit, without anything that git ignores,";

/** What the gates of the commit say. */
export const weighGates = (answer: GatesAnswer, where: "clean" | "tree"): Reason[] => {
  if (answer.result === "healthy") return [];
  if (answer.result === "none")
    return [{ kind: "no gate", weight: "undecided", message: "no gate ran to verify it" }];
  const red = answer.runs.filter(({ result }) => result === "blocked").map(({ id }) => id);
  const named = red.length === 0 ? "" : `: ${red.slice(0, 10).join(", ")}`;
  return [
    {
      kind: "gates",
      weight: "refused",
      message: `${where === "clean" ? `${CLEAN} the` : "the"} gates are red${named}${answer.problem ? ` (${answer.problem})` : ""}`,
      diff: answer.report.slice(-MOST_REPORT),
    },
  ];
};

/** The base's own tests on the new code: red ones mean that the tests, or the code, are not what they were. */
export const weighBaseTests = (answer: GatesAnswer, paths: readonly string[]): Reason[] =>
  answer.result !== "blocked"
    ? []
    : [
        {
          kind: "base tests",
          weight: "undecided",
          ...(paths[0] === undefined ? {} : { file: paths[0] }),
          message: `was changed with the code: the gates are red with the tests of the base (${paths.slice(0, 5).join(", ")}${paths.length > 5 ? ", …" : ""}) on the new code, and green with the new ones; a person has to say which are right`,
        },
      ];

/** What made the check weaker; where it may be right, or the task names the file, a person has to say. */
export const weighStrength = (findings: readonly StrengthFinding[], task: string): Reason[] =>
  findings.map(({ kind, file, line, message }) => {
    const { mayBeRight, isNeverRight } = STRENGTH_KINDS[kind];
    const isUndecided = mayBeRight || (!isNeverRight && task.includes(file));
    return { kind, weight: isUndecided ? "undecided" : "refused", file, line, message };
  });

type Compared = Pick<TestComparison, "broken" | "added" | "masked" | "propped">;

/** Tests that passed on the base and do not on the new code; what changed with the code a person has to look at. */
export const weighTests = (
  { broken, added, masked, propped }: Compared,
  { changed, newTestsMustFail }: { changed: ReadonlySet<string>; newTestsMustFail: boolean },
): Reason[] => {
  const reason = (
    kind: string,
    weight: Reason["weight"],
    file: string | undefined,
    message: string,
  ): Reason => ({ kind, weight, ...(file === undefined ? {} : { file }), message });
  const lost = broken.map(({ name, file, was, now }) => {
    const isChanged = file === undefined || changed.has(file);
    const what = `the test "${name}" ${was} on the base and ${now === "missing" ? "does not run" : `is ${now}`} on the new code`;
    const next = isChanged
      ? ", as the base wrote it; a person has to say whether it was rightly changed"
      : "; mend the code";
    const weight = isChanged && now === "failed" ? "undecided" : "refused";
    return reason("test-broken", weight, file, `${what}${next}`);
  });
  const hidden = masked.slice(0, 20).map(({ name, file }) => {
    const why = "something in the project changes how the run ends";
    const message = `the test "${name}" fails, and its run ends as if all were well: ${why}`;
    return reason("test-masked", "undecided", file, message);
  });
  const held = propped.slice(0, 20).map(({ name, file }) => {
    const message = `the test "${name}" fails without the test files that the session added or changed: do they do what the program should do?`;
    return reason("test-propped", "undecided", file, message);
  });
  const idle = newTestsMustFail ? added.filter(({ onBase }) => onBase === "passed") : [];
  const proving = idle.map(({ name, file }) => {
    const message = `the new test "${name}" passes on the code of the base, too, so it does not test what was changed (verify.newTestsMustFail)`;
    return reason("test-proves-nothing", "refused", file, message);
  });
  return [...lost, ...hidden, ...held, ...proving];
};

/** One refusal refuses; what nobody could decide keeps from `complete`. */
export const decideWord = (reasons: readonly Reason[]): VerdictWord => {
  if (reasons.some(({ weight }) => weight === "refused")) return "refused";
  return reasons.length > 0 ? "unverified" : "complete";
};
