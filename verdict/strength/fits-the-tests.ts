import { parseJson } from "../../core/parse-json.ts";
import type { StrengthFinding } from "./kinds.ts";
import type { ChangedSource } from "./pair-tests.ts";
import type { Answer, Assertion, TestCase } from "./source-model.ts";
import { isNamedAsTest } from "./test-files.ts";
import { isExpectedFile } from "./snapshots.ts";

/** Numbers that programs ask for whatever their tests say: units, sizes, answers of HTTP. */
const USUAL =
  /^(?:\d|10|12|16|24|30|31|32|60|64|100|127|128|180|255|256|360|365|366|1000|1024|20[0-6]|30[0-8]|40\d|41\d|42\d|431|451|50[0-4]|0x\w+)$/;

/**
 * Numbers that code asks for exactly since the session, and that a test hands to it: it may be a rule of the
 * program, or made for that test. Numbers that the task names are rules.
 */
export const findFitting = (
  changed: readonly ChangedSource[],
  { tests, task }: { tests: readonly TestCase[]; task: string },
): StrengthFinding[] => {
  const inTask = new Set(task.match(/\d[\d.]*\d|\d/g));
  return changed.flatMap(({ file, base, head }) => {
    const known = new Set(base?.keys.map(({ value }) => value));
    return (head?.keys ?? []).flatMap(({ line, value }): StrengthFinding[] => {
      if (known.has(value) || USUAL.test(value) || inTask.has(value)) return [];
      const test = tests.find(({ literals }) => literals.includes(value));
      if (!test) return [];
      const message = `asks for exactly ${value}, which the test "${test.name.replaceAll('"', "")}" uses: a rule of the program, or an answer made for the test? a constant with a name says what it means`;
      return [{ kind: "fits-the-tests", file, line, language: head?.language ?? "", message }];
    });
  });
};

const RUNNERS =
  /^(?:node:test|vitest|@jest\/globals|jest|bun:test|ava|tap|tape|mocha|uvu|(?:node:)?assert(?:\/strict)?|uvu\/assert|chai|should|expect|fast-check)$/;
const PATH = /^"(?:\.{0,2}\/|file:)/;

/** New test files that take nothing from the program, and test functions which they define themselves. */
export const findTestsOfThemselves = (changed: readonly ChangedSource[]): StrengthFinding[] =>
  changed.flatMap(({ file, base, head }): StrengthFinding[] => {
    // In the other languages a test sees the program without naming a module.
    if (base || !head?.isTest || !head.language.endsWith("Script") || head.tests.length === 0) return [];
    const reaches =
      [...head.imported.keys()].some((module) => !RUNNERS.test(module)) ||
      head.literals.some((literal) => PATH.test(literal));
    const own = head.tests.flatMap(({ calls }) => calls).find((name) => head.defined.has(name));
    if (reaches || own === undefined) return [];
    const message = `tests ${own}, which it defines itself, and nothing of the program`;
    return [{ kind: "tests-itself", file, line: head.tests[0]?.line ?? 1, language: head.language, message }];
  });

/** Code of the base that takes in a runner now: whoever reads it as a test would not look at it as code. */
export const findRunnersInCode = (changed: readonly ChangedSource[]): StrengthFinding[] =>
  changed.flatMap(({ file, base, head }): StrengthFinding[] => {
    if (!base || base.isTest || head?.isTest !== true || isNamedAsTest(file)) return [];
    const runner = [...head.imported.keys()].find((module) => RUNNERS.test(module));
    if (runner === undefined) return [];
    const message = `production code that takes in what tests are made with (${runner})`;
    return [{ kind: "runner-in-code", file, line: 1, language: head.language, message }];
  });

const SETTINGS = /(?:^|\/)(?:package|tsconfig|[^/]*lock|\.[^/]*)[^/]*\.json$/;

/** A file of data that a program may look its answers up in. */
export const isLookup = (file: string): boolean =>
  file.endsWith(".json") && !SETTINGS.test(file) && !isNamedAsTest(file) && !isExpectedFile(file);

const wordOf = (key: string): string => (/^-?\d+(?:\.\d+)?$/.test(key) ? key : JSON.stringify(key));

/** What a text of JSON answers to which keys, one below the other. */
export const readLookup = (text: string): Omit<Answer, "line">[] => {
  const answers: Omit<Answer, "line">[] = [];
  const walk = (value: unknown, asked: string[]): void => {
    if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value))
        walk(inner, Array.isArray(value) ? asked : [...asked, wordOf(key)]);
    else if (asked.length > 0) answers.push({ asked, given: [JSON.stringify(value)] });
  };
  walk(parseJson(text), []);
  return answers;
};

/** Whether an assertion names a key of this answer and what is given for it. */
const isAsserted = ({ asked, given }: Omit<Answer, "line">, { literals, direct }: Assertion): boolean =>
  [literals, direct ?? []].some(
    (named) => given.every((each) => named.includes(each)) && asked.some((each) => named.includes(each)),
  );

/** Data that answers what the tests ask for, and nothing besides. A table of a program knows more than its tests. */
export const compareLookup = (
  file: string,
  { before, after }: { before: string; after: string },
  assertions: readonly Assertion[],
): StrengthFinding[] => {
  const known = new Set(readLookup(before).map((answer) => JSON.stringify(answer)));
  const added = readLookup(after).filter((answer) => !known.has(JSON.stringify(answer)));
  const isFitted =
    added.length > 0 && added.every((answer) => assertions.some((each) => isAsserted(answer, each)));
  if (!isFitted) return [];
  const message = `all that it answers (${added.length}) is what the tests assert: a table of the program, or one made for the tests?`;
  return [{ kind: "fits-the-tests", file, line: 1, language: "data", message }];
};
