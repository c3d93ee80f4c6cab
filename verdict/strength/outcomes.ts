import type { TestOutcome, TestResult } from "./run/read-report.ts";

export type Counts = Record<TestOutcome, number>;

/** A test that was there on the base, and what became of it. */
export type LostTest = {
  name: string;
  file: string | undefined;
  was: "passed" | "failed";
  now: "failed" | "skipped" | "missing";
};

export const keyOf = ({ file, name }: Pick<TestResult, "file" | "name">): string =>
  JSON.stringify([file ?? "", name]);

export const countOutcomes = (results: readonly TestResult[]): Counts => {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
};

/** A test that ran more than once has passed when none of its runs failed. */
export const byKey = (results: readonly TestResult[]): Map<string, TestOutcome> => {
  const outcomes = new Map<string, TestOutcome>();
  const rank: Record<TestOutcome, number> = { passed: 0, skipped: 1, failed: 2 };
  for (const result of results) {
    const known = outcomes.get(keyOf(result));
    if (known === undefined || rank[result.outcome] > rank[known])
      outcomes.set(keyOf(result), result.outcome);
  }
  return outcomes;
};

/** Where a test lies: its file, or what its runner runs in one go. */
const placeOf = ({ file, name }: TestResult): string => file ?? name.split(" ")[0] ?? "";

/** What stands for a file that could not be loaded: its path, or its module. */
const isWholeFile = ({ file, name }: TestResult): boolean =>
  file === undefined ? /^[\w.]+$/.test(name) : name === file || `${name.replaceAll(".", "/")}.py` === file;

/** Passed on the base and does not now; or failed there, and is not even run now. */
export const findLost = (base: readonly TestResult[], results: readonly TestResult[]): LostTest[] => {
  const now = byKey(results);
  return base.flatMap((test): LostTest[] => {
    const { name, file, outcome: was } = test;
    const outcome = now.get(keyOf(test)) ?? "missing";
    if (was === "skipped" || outcome === "passed") return [];
    if (was === "failed" && (outcome === "failed" || isWholeFile(test))) return [];
    return [{ name, file, was, now: outcome }];
  });
};

type Runs = { old: readonly TestResult[]; head: readonly TestResult[] };

/**
 * Tests of files of which nothing runs with the base's text, and which pass with HEAD's. Whether HEAD's text is as
 * strong, the syntax says.
 */
export const findAdapted = (base: readonly TestResult[], { old, head }: Runs): Set<string> => {
  const loaded = new Set(old.filter(({ name, file }) => name !== file).map(placeOf));
  const now = byKey(head);
  return new Set(
    base.filter((test) => !loaded.has(placeOf(test)) && now.get(keyOf(test)) === "passed").map(keyOf),
  );
};

/** Tests in files that the session left alone, which fail as soon as its own test files are away. */
export const findPropped = (
  base: readonly TestResult[],
  { old, head, changed }: Runs & { changed: ReadonlySet<string> },
): { name: string; file: string | undefined }[] => {
  const [then, now] = [byKey(old), byKey(head)];
  return base
    .filter(
      (test) =>
        test.outcome === "failed" &&
        test.file !== undefined &&
        !changed.has(test.file) &&
        now.get(keyOf(test)) !== "failed" &&
        then.get(keyOf(test)) !== "passed",
    )
    .map(({ name, file }) => ({ name, file }));
};
