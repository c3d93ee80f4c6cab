import type { StrengthFinding } from "./kinds.ts";
import { type ChangedSource, moreBy } from "./pair-tests.ts";
import type { Mark, SourceModel } from "./source-model.ts";

type PlacedMark = Mark & { file: string; language: string };

const marksOf = (changed: readonly ChangedSource[], side: "base" | "head"): PlacedMark[] =>
  changed.flatMap(({ file, [side]: model }) =>
    (model?.marks ?? []).map((mark) => ({ ...mark, file, language: model?.language ?? "" })),
  );

const keyOf = ({ kind, text }: Mark): string => `${kind} ${text}`;

/** What was added over the base. What only moved, from whichever file, is no addition. */
export const compareMarks = (changed: readonly ChangedSource[]): StrengthFinding[] => {
  const [base, head] = [marksOf(changed, "base"), marksOf(changed, "head")];
  // What stood in the same file before has the first claim.
  const inFile = (mark: PlacedMark): string => `${mark.file} ${keyOf(mark)}`;
  return moreBy(moreBy(head, base, inFile), moreBy(base, head, inFile), keyOf).map(
    ({ kind, file, line, message, language }) => ({ kind, file, line, message, language }),
  );
};

const lastPart = (target: string): string => {
  const name = target.split("/").at(-1) ?? target;
  return target.includes("/") ? (name.split(".")[0] ?? "") : (name.split(".").at(-1) ?? "");
};

const GLOBALS =
  /^(?:Date|Math|console|process|global|globalThis|window|document|crypto|performance|fs|fsp|os|time|datetime|random|sys|requests)\./;

const stem = (file: string): string =>
  (file.split("/").at(-1) ?? "")
    .replace(/^test_|[._-](?:test|spec|e2e)\b.*$|_test\.\w+$|\.\w+$/g, "")
    .replace(/\.\w+$/, "");

/** What the base's tests of this file call themselves: that is what they test. */
const subjectsOf = (base: SourceModel): Set<string> => new Set(base.tests.flatMap(({ calls }) => calls));

/** Mocks, and own definitions, in the place of what the tests are there to test. */
export const compareMocks = (changed: readonly ChangedSource[]): StrengthFinding[] => {
  const findings: StrengthFinding[] = [];
  for (const { file, base, head } of changed) {
    if (head?.isTest !== true) continue;
    const subjects = base ? subjectsOf(base) : new Set<string>();
    const add = (line: number, what: string): void => {
      const message = `${what} is replaced in the tests that test it`;
      findings.push({ kind: "subject-mocked", file, line, message, language: head.language });
    };
    const before = new Set(base?.mocked.map(({ target }) => target));
    for (const { target, line } of head.mocked) {
      if (before.has(target) || GLOBALS.test(target)) continue;
      const names = base?.imported.get(target) ?? [];
      const isSubject = target.includes("/")
        ? names.some((name) => subjects.has(name)) ||
          (target.startsWith(".") && lastPart(target) === stem(file))
        : subjects.has(lastPart(target));
      if (isSubject) add(line, target);
    }
    if (!base) continue;
    for (const [name] of head.defined) {
      if (base.defined.has(name) || !subjects.has(name)) continue;
      const from = [...base.imported].find(([, names]) => names.includes(name))?.[0];
      if (base.imported.size === 0) add(1, name);
      // A wrapper imports the same under another name.
      else if (from !== undefined && (head.imported.get(from)?.includes(name) ?? true)) add(1, name);
    }
  }
  return findings;
};
