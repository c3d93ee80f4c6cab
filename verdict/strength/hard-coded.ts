import type { StrengthFinding } from "./kinds.ts";
import { type ChangedSource, moreOf } from "./pair-tests.ts";
import type { Answer, Assertion } from "./source-model.ts";

const TRIVIAL = /^(?:-?[0-2]|true|false|True|False|None|null|undefined|nil|"")$/;
const NUMBER = /^-?[\d.]+$/;

/** Values that a rule of the program would hardly name: two at once, a sentence, a date, a number for a number. */
const isSpecific = ({ asked, given }: Answer): boolean => {
  if ([...asked, ...given].every((each) => TRIVIAL.test(each))) return false;
  if (asked.length > 1) return true;
  const [only = ""] = asked;
  if (NUMBER.test(only))
    return !TRIVIAL.test(only) && given.every((each) => NUMBER.test(each) && !TRIVIAL.test(each));
  return /^".*\s.*"$/.test(only) || (/^"\d.{3,}"$/.test(only) && given.some((each) => !TRIVIAL.test(each)));
};

const keyOf = ({ asked, given }: Answer): string => JSON.stringify([asked, given]);

export type NewAnswer = Answer & { file: string; language: string };

/** Answers to particular values that the base's code does not have. */
export const findNewAnswers = (changed: readonly ChangedSource[]): NewAnswer[] =>
  changed.flatMap(({ file, base, head }) => {
    const known = new Set(base?.answers.map(keyOf));
    return (head?.answers ?? [])
      .filter((answer) => isSpecific(answer) && !known.has(keyOf(answer)))
      .map((answer) => ({ ...answer, file, language: head?.language ?? "" }));
  });

/** An assertion that names exactly what the code asks for and what it gives, and nothing else. */
const isKeyedOn = ({ asked, given }: Answer, { literals, direct }: Assertion): boolean =>
  [literals, direct ?? []].some(
    (named) =>
      moreOf(given, named).length === 0 &&
      asked.some((each) => named.includes(each)) &&
      named.every((each) => asked.includes(each) || given.includes(each)),
  );

/** Answers of the code that are keyed on the inputs of the tests. */
export const findHardCoded = (
  answers: readonly NewAnswer[],
  assertions: readonly Assertion[],
): StrengthFinding[] =>
  answers
    .filter((answer) => assertions.some((assertion) => isKeyedOn(answer, assertion)))
    .map(({ file, line, language, asked, given }) => ({
      kind: "hard-coded",
      file,
      line,
      language,
      message: `gives ${given.join(", ").slice(0, 60)} for exactly ${asked.join(", ").slice(0, 60)}, the values of a test`,
    }));
