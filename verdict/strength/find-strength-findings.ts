import { minimatch } from "minimatch";
import type { Git } from "../../core/git.ts";
import { readTree } from "../read-tree.ts";
import { type ChangedFile, FILE_MODE, listChangedFiles, readBlob } from "./changed-files.ts";
import { compareMarks, compareMocks } from "./compare-marks.ts";
import { compareExamples } from "./examples.ts";
import { compareTestsOf } from "./compare-sources.ts";
import {
  compareLookup,
  findFitting,
  findRunnersInCode,
  findTestsOfThemselves,
  isLookup,
} from "./fits-the-tests.ts";
import { findHardCoded, findNewAnswers } from "./hard-coded.ts";
import { STRENGTH_KINDS, type StrengthFinding } from "./kinds.ts";
import { readSource, readSources } from "./read-sources.ts";
import { compareSettings } from "./settings/compare-settings.ts";
import { isSettingsFile } from "./settings/settings-files.ts";
import { compareExpected, isExpectedFile } from "./snapshots.ts";
import type { ChangedSource } from "./pair-tests.ts";
import type { TestCase } from "./source-model.ts";
import { isNamedAsTest, languageOf } from "./test-files.ts";

export type StrengthInput = {
  /** commits, by their ids */
  base: string;
  head: string;
  /** globs of what the task was allowed to change, as the config stood at the start */
  mayChange: readonly string[];
  /** what the session was asked to do: what it names was asked for */
  task: string;
};

/** The tests of a commit, whether they changed or not. */
const readTests = async (git: Git, commit: string): Promise<TestCase[]> => {
  const tests: TestCase[] = [];
  for (const { path, mode, object } of (await readTree(git, commit)).values())
    if (FILE_MODE.test(mode) && (languageOf(path) === "rust" || isNamedAsTest(path))) {
      const model = await readSource(git, path, object);
      tests.push(...(model?.tests ?? []));
    }
  return tests;
};

type Fitted = Pick<StrengthInput, "base" | "head" | "task"> & {
  changed: readonly ChangedFile[];
  sources: readonly ChangedSource[];
};

/** What the code answers to the tests alone. All tests of both commits are read, where there is anything to hold against them. */
const findFitted = async (
  git: Git,
  { base, head, task, changed, sources }: Fitted,
): Promise<StrengthFinding[]> => {
  const answers = findNewAnswers(sources);
  const lookups = changed.filter(({ file, head: after }) => after !== undefined && isLookup(file));
  if (answers.length + lookups.length === 0 && sources.every((each) => !each.head?.keys.length)) return [];
  const tests = [...(await readTests(git, head)), ...(await readTests(git, base))];
  const assertions = tests.flatMap((test) => test.assertions);
  const findings = [...findHardCoded(answers, assertions), ...findFitting(sources, { tests, task })];
  for (const { file, base: was, head: is } of lookups) {
    const before = was === undefined ? "" : ((await readBlob(git, was)) ?? "");
    const after = is === undefined ? "" : ((await readBlob(git, is)) ?? "");
    findings.push(...compareLookup(file, { before, after }, assertions));
  }
  return findings;
};

const compareFile = async (
  git: Git,
  { file, base, head, isMoved }: ChangedFile,
): Promise<StrengthFinding[]> => {
  const isExpected = isExpectedFile(file);
  if (base === undefined || isMoved || (!isExpected && !isSettingsFile(file))) return [];
  const [before, after] = [
    await readBlob(git, base),
    head === undefined ? undefined : await readBlob(git, head),
  ];
  if (isExpected) return compareExpected(file, before ?? "", head === undefined ? undefined : (after ?? ""));
  return before === undefined ? [] : compareSettings(file, before, after);
};

const isAllowed = (finding: StrengthFinding, mayChange: readonly string[]): boolean =>
  !STRENGTH_KINDS[finding.kind].isNeverRight &&
  mayChange.some((glob) => minimatch(finding.file, glob, { dot: true }));

/** Every way in which HEAD checks less than the base did, by syntax alone. What `mayChange` names is left out. */
export const findStrengthFindings = async (
  { git }: { git: Git },
  { base, head, mayChange, task }: StrengthInput,
): Promise<StrengthFinding[]> => {
  const changed = await listChangedFiles(git, base, head);
  const findings: StrengthFinding[] = [];
  for (const each of changed) findings.push(...(await compareFile(git, each)));
  const sources = await readSources(git, changed);
  findings.push(...compareTestsOf(sources), ...compareMarks(sources), ...compareMocks(sources));
  findings.push(
    ...findTestsOfThemselves(sources),
    ...findRunnersInCode(sources),
    ...compareExamples(sources),
  );
  findings.push(...(await findFitted(git, { base, head, task, changed, sources })));
  const known = new Set<string>();
  return findings.filter((finding) => {
    const key = JSON.stringify(finding);
    const isNew = !known.has(key) && !isAllowed(finding, mayChange);
    known.add(key);
    return isNew;
  });
};
