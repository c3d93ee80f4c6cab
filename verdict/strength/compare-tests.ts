import { createHash } from "node:crypto";
import { join } from "node:path";
import { minimatch } from "minimatch";
import { writeFileDurably } from "../../core/durable-file.ts";
import type { Git } from "../../core/git.ts";
import { readFileIfThere } from "../../core/read-file.ts";
import { listChangedFiles } from "./changed-files.ts";
import { findMovedAway, withoutRenamed } from "./find-moved-away.ts";
import { withFilesOf } from "./run/borrowed-files.ts";
import {
  byKey,
  type Counts,
  countOutcomes as count,
  findAdapted,
  findLost,
  findPropped,
  keyOf,
  type LostTest,
} from "./outcomes.ts";
import type { TestResult } from "./run/read-report.ts";
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

/** Tests of the base and of HEAD, side by side. */
export type TestComparison = {
  runners: string[];
  base: Counts;
  head: Counts;
  /** passed on the base, and do not on HEAD with the base's own test files; or failed there, and do not run here */
  broken: LostTest[];
  /** of test files that cannot be loaded any more as the base wrote them (a name changed): these pass as HEAD has them */
  adapted: string[];
  /** new on HEAD; `passed` on the base's code: they do not test what changed */
  added: { name: string; file: string | undefined; onBase: "failed" | "passed" | "unknown" }[];
  /** tests that fail on HEAD in a run that ended as if none had: its gate tells nothing */
  masked: { name: string; file: string | undefined }[];
  /** of files that the session left alone: fail as soon as its own test files are away */
  propped: { name: string; file: string | undefined }[];
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

type Run = (room: string, runner: TestRunner) => Promise<TestRun>;

const keptFile = async (
  { git }: ComparePorts,
  input: CompareInput,
  runner: TestRunner,
): Promise<string | undefined> => {
  if (input.cacheFolder === undefined) return undefined;
  const tree = (await git.run(["rev-parse", `${input.base}^{tree}`])).trim();
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
  const all = await listChangedFiles(ports.git, input.base, input.head);
  const changed = all.filter(({ file }) => isTestFile(file));
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
  const runs = { old: old.results, head: head.results };
  const adapted = findAdapted(base.results, runs);
  const findBroken = (results: readonly TestResult[]): LostTest[] =>
    findLost(
      base.results.filter(
        (test) => !adapted.has(keyOf(test)) && (test.file === undefined || !allowed.has(test.file)),
      ),
      results,
    );
  const isOwn = new Set(all.map(({ file }) => file));
  const lost = findBroken(old.results);
  let broken = await withoutRenamed(ports, input, { lost, results: head.results, runner });
  let propped = findPropped(base.results, { ...runs, changed: isOwn });
  // What fails once may be shaky; what fails twice is broken.
  if (broken.length + propped.length > 0 && old.problem === undefined) {
    const { results } = await withFilesOf(lent, () => run(input.headRoom, runner));
    const [still, passing] = [new Set(findBroken(results).map(keyOf)), byKey(results)];
    broken = broken.filter((test) => still.has(keyOf(test)));
    propped = propped.filter((test) => passing.get(keyOf(test)) !== "passed");
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
    propped,
    adapted: base.results.filter((test) => adapted.has(keyOf(test))).map(({ name }) => name),
    masked: head.isMasked
      ? head.results.flatMap(({ name, file, outcome }) => (outcome === "failed" ? [{ name, file }] : []))
      : [],
    added: await tryOnBase(input, { added, files: changed.map(({ file }) => file), runner, run }),
    problems: [...new Set(problems)],
  };
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

const addCounts = (all: readonly Counts[]): Counts =>
  all.reduce((one, other) => ({
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  }));

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
  const parts: Omit<TestComparison, "runners">[] = [];
  for (const runner of runners) parts.push(await compareRunner(ports, input, { runner, run }));
  return {
    runners: runners.map(({ id }) => id),
    base: addCounts(parts.map(({ base }) => base)),
    head: addCounts(parts.map(({ head }) => head)),
    broken: parts.flatMap(({ broken }) => broken),
    adapted: parts.flatMap(({ adapted }) => adapted),
    added: parts.flatMap(({ added }) => added),
    masked: parts.flatMap(({ masked }) => masked),
    propped: parts.flatMap(({ propped }) => propped),
    problems: parts.flatMap(({ problems }) => problems),
  };
};
