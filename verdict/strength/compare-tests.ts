import { createHash } from "node:crypto";
import { join } from "node:path";
import { minimatch } from "minimatch";
import { writeFileDurably } from "../../core/durable-file.ts";
import type { Git } from "../../core/git.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { listChangedFiles } from "./changed-files.ts";
import { findMovedAway } from "./find-moved-away.ts";
import { withFilesOf } from "./run/borrowed-files.ts";
import type { TestOutcome, TestResult } from "./run/read-report.ts";
import { type RunPorts, type TestPlace, runTests, type TestRun } from "./run/run-tests.ts";
import { listTestRunners, type TestRunner } from "./run/test-runners.ts";
import { isExpectedFile } from "./snapshots.ts";
import { isNamedAsTest } from "./test-files.ts";

export type ComparePorts = RunPorts & {
  git: Git;
  clock: { elapsed: () => number };
  /** where the base's tests run, when not as those of HEAD */
  onBase?: TestPlace;
};

export type CompareInput = {
  /** two checkouts of the project, made ready for its tests */
  baseRoom: string;
  headRoom: string;
  base: string;
  head: string;
  /** test files that the task was allowed to change: of these, HEAD's own count */
  mayChange: readonly string[];
  /** where the base's results are kept, outside of the agent's reach; undefined: they are not kept */
  cacheFolder: string | undefined;
  /** for all runs together */
  timeoutMs: number;
};

export type Counts = Record<TestOutcome, number>;

/** Tests of the base and of HEAD, side by side. */
export type TestComparison = {
  runners: string[];
  base: Counts;
  head: Counts;
  /** passed on the base, and do not on HEAD with the base's own test files */
  broken: { name: string; file: string | undefined; now: "failed" | "skipped" | "missing" }[];
  /** of test files that cannot be loaded any more as the base wrote them (a name changed): these pass as HEAD has them */
  adapted: string[];
  /** new on HEAD; `passed` on the base's code: they do not test what changed */
  added: { name: string; file: string | undefined; onBase: "failed" | "passed" | "unknown" }[];
  /** tests that fail on HEAD in a run that ended as if none had: its gate tells nothing */
  masked: { name: string; file: string | undefined }[];
  /** what could not be found out, in words */
  problems: string[];
};

const LOCKS = [
  "package-lock.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "uv.lock",
  "poetry.lock",
  "requirements.txt",
  "go.sum",
  "Cargo.lock",
];

const keyOf = ({ file, name }: Pick<TestResult, "file" | "name">): string =>
  JSON.stringify([file ?? "", name]);

const count = (results: readonly TestResult[]): Counts => {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
};

/** A test that ran more than once has passed when none of its runs failed. */
const byKey = (results: readonly TestResult[]): Map<string, TestOutcome> => {
  const outcomes = new Map<string, TestOutcome>();
  const rank: Record<TestOutcome, number> = { passed: 0, skipped: 1, failed: 2 };
  for (const result of results) {
    const known = outcomes.get(keyOf(result));
    if (known === undefined || rank[result.outcome] > rank[known])
      outcomes.set(keyOf(result), result.outcome);
  }
  return outcomes;
};

type Run = (room: string, runner: TestRunner) => Promise<TestRun>;

const keptFile = async (
  { git }: ComparePorts,
  input: CompareInput,
  runner: TestRunner,
): Promise<string | undefined> => {
  if (input.cacheFolder === undefined) return undefined;
  const tree = (
    await git.run(["rev-parse", `${input.base}^{tree}`], { env: { GIT_NO_REPLACE_OBJECTS: "1" } })
  ).trim();
  const hash = createHash("sha256").update(
    JSON.stringify([1, tree, runner.id, runner.command("", ""), process.version]),
  );
  for (const lock of LOCKS) hash.update(readFileIfThere(join(input.baseRoom, lock)) ?? "-");
  return join(input.cacheFolder, `${hash.digest("hex")}.json`);
};

const runBase = async (
  ports: ComparePorts,
  input: CompareInput,
  { runner, run }: { runner: TestRunner; run: Run },
): Promise<TestRun> => {
  const file = await keptFile(ports, input, runner);
  const kept = file === undefined ? undefined : readFileIfThere(file);
  if (kept !== undefined) return { results: JSON.parse(kept) as TestResult[], problem: undefined };
  const ran = await run(input.baseRoom, runner);
  if (file !== undefined && ran.problem === undefined)
    writeFileDurably(file, JSON.stringify(ran.results), { mode: 0o600 });
  return ran;
};

const isTestFile = (file: string): boolean => isNamedAsTest(file) || isExpectedFile(file);

const compareRunner = async (
  ports: ComparePorts,
  input: CompareInput,
  { runner, run }: { runner: TestRunner; run: Run },
): Promise<Omit<TestComparison, "runners">> => {
  const changed = (await listChangedFiles(ports.git, input.base, input.head)).filter(({ file }) =>
    isTestFile(file),
  );
  const own = changed.filter(
    ({ file }) => !input.mayChange.some((glob) => minimatch(file, glob, { dot: true })),
  );
  const base = await runBase(ports, input, { runner, run });
  const head = await run(input.headRoom, runner);
  const lent = { from: input.baseRoom, into: input.headRoom, files: own.map(({ file }) => file) };
  const again = (): Promise<TestRun> =>
    own.length === 0 ? Promise.resolve(head) : withFilesOf(lent, () => run(input.headRoom, runner));
  const old = await again();
  const allowed = new Set(changed.filter((each) => !own.includes(each)).map(({ file }) => file));
  const findBroken = (results: readonly TestResult[]): TestComparison["broken"] => {
    const now = byKey(results);
    return base.results
      .filter(({ outcome, file }) => outcome === "passed" && (file === undefined || !allowed.has(file)))
      .flatMap((test) => {
        const outcome = now.get(keyOf(test));
        return outcome === "passed"
          ? []
          : [{ name: test.name, file: test.file, now: outcome ?? ("missing" as const) }];
      });
  };
  const adapted = findAdapted(base.results, { old: old.results, head: head.results });
  let broken = findBroken(old.results).filter((test) => !adapted.has(keyOf(test)));
  // What fails once may be shaky; what fails twice is broken.
  if (broken.length > 0 && old.problem === undefined) {
    const second = findBroken((await withFilesOf(lent, () => run(input.headRoom, runner))).results).map(
      keyOf,
    );
    broken = broken.filter((test) => second.includes(keyOf(test)));
  }
  broken.push(...(await findMovedAway(ports, input, { results: head.results, runner })));
  const known = new Set(base.results.map(keyOf));
  const names = new Set(base.results.map(({ name }) => name));
  const added = head.results.filter(
    (test) => test.outcome !== "skipped" && !known.has(keyOf(test)) && !names.has(test.name),
  );
  const problems = [base, head, old].flatMap(({ problem }) => problem ?? []);
  return {
    base: count(base.results),
    head: count(head.results),
    broken,
    adapted: base.results.filter((test) => adapted.has(keyOf(test))).map(({ name }) => name),
    masked: head.isMasked
      ? head.results.flatMap(({ name, file, outcome }) => (outcome === "failed" ? [{ name, file }] : []))
      : [],
    added: await tryOnBase(input, { added, files: changed.map(({ file }) => file), runner, run }),
    problems: [...new Set(problems)],
  };
};

/** Where a test lies: its file, or what its runner runs in one go. */
const placeOf = ({ file, name }: TestResult): string => file ?? name.split(" ")[0] ?? "";

/**
 * Tests of files of which nothing runs with the base's text, and which pass with HEAD's. Whether HEAD's text is as
 * strong, the syntax says.
 */
const findAdapted = (
  base: readonly TestResult[],
  { old, head }: { old: readonly TestResult[]; head: readonly TestResult[] },
): Set<string> => {
  const loaded = new Set(old.filter(({ name, file }) => name !== file).map(placeOf));
  const now = byKey(head);
  return new Set(
    base.filter((test) => !loaded.has(placeOf(test)) && now.get(keyOf(test)) === "passed").map(keyOf),
  );
};

type Tried = { added: readonly TestResult[]; files: readonly string[]; runner: TestRunner; run: Run };

/** New tests on the base's code. What is not even there then did not compile or import: it fails, too. */
const tryOnBase = async (
  input: CompareInput,
  { added, files, runner, run }: Tried,
): Promise<TestComparison["added"]> => {
  if (added.length === 0) return [];
  const lent = { from: input.headRoom, into: input.baseRoom, files };
  const tried = files.length === 0 ? undefined : await withFilesOf(lent, () => run(input.baseRoom, runner));
  const outcomes = byKey(tried?.results ?? []);
  return added.map(({ name, file, ...test }) => {
    const isInCode = file !== undefined && !files.includes(file);
    const onBase =
      tried === undefined || isInCode
        ? "unknown"
        : outcomes.get(keyOf({ name, file, ...test })) === "passed"
          ? "passed"
          : "failed";
    return { name, file, onBase };
  });
};

const add = (one: Counts, other: Counts): Counts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

/**
 * Runs the tests of both sides: what passed on the base has to pass on HEAD with the base's own test files, and what
 * is new should fail on the base's code. The commands are the base's. Undefined where no runner is known that speaks
 * a report.
 */
export const compareTests = async (
  ports: ComparePorts,
  input: CompareInput,
): Promise<TestComparison | undefined> => {
  const runners = listTestRunners(input.baseRoom);
  if (runners.length === 0) return undefined;
  const deadline = ports.clock.elapsed() + input.timeoutMs;
  const run: Run = (room, runner) =>
    runTests(room === input.baseRoom ? { ...ports, ...ports.onBase } : ports, {
      room,
      runner,
      timeoutMs: Math.max(1_000, deadline - ports.clock.elapsed()),
    });
  let whole: TestComparison = {
    runners: runners.map(({ id }) => id),
    base: count([]),
    head: count([]),
    broken: [],
    adapted: [],
    added: [],
    masked: [],
    problems: [],
  };
  for (const runner of runners) {
    const found = await compareRunner(ports, input, { runner, run });
    whole = {
      ...whole,
      base: add(whole.base, found.base),
      head: add(whole.head, found.head),
      broken: [...whole.broken, ...found.broken],
      adapted: [...whole.adapted, ...found.adapted],
      added: [...whole.added, ...found.added],
      masked: [...whole.masked, ...found.masked],
      problems: [...whole.problems, ...found.problems],
    };
  }
  return whole;
};
