import { minimatch } from "minimatch";
import type { Git } from "../../core/git.ts";
import { type ChangedFile, listChangedFiles, listFiles, readBlob } from "./changed-files.ts";
import { compareMarks, compareMocks } from "./compare-marks.ts";
import { compareTestsOf } from "./compare-sources.ts";
import { findHardCoded, findNewAnswers } from "./hard-coded.ts";
import { STRENGTH_KINDS, type StrengthFinding } from "./kinds.ts";
import { readSource, readSources } from "./read-sources.ts";
import { compareSettings } from "./settings/compare-settings.ts";
import { isSettingsFile } from "./settings/settings-files.ts";
import { compareExpected, isExpectedFile } from "./snapshots.ts";
import type { Assertion } from "./source-model.ts";
import { isNamedAsTest, languageOf } from "./test-files.ts";

export type StrengthInput = {
  /** commits, by their ids */
  base: string;
  head: string;
  /** globs of what the task was allowed to change, as the config stood at the start */
  mayChange: readonly string[];
};

/** What the tests of a commit assert, whether they changed or not. */
const readAssertions = async (git: Git, commit: string): Promise<Assertion[]> => {
  const assertions: Assertion[] = [];
  for (const { file, id } of await listFiles(git, commit))
    if (languageOf(file) === "rust" || isNamedAsTest(file)) {
      const model = await readSource(git, file, id);
      assertions.push(...(model?.tests ?? []).flatMap((test) => test.assertions));
    }
  return assertions;
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
  { base, head, mayChange }: StrengthInput,
): Promise<StrengthFinding[]> => {
  const changed = await listChangedFiles(git, base, head);
  const findings: StrengthFinding[] = [];
  for (const each of changed) findings.push(...(await compareFile(git, each)));
  const sources = await readSources(git, changed);
  findings.push(...compareTestsOf(sources), ...compareMarks(sources), ...compareMocks(sources));
  const answers = findNewAnswers(sources);
  if (answers.length > 0)
    findings.push(
      ...findHardCoded(answers, [...(await readAssertions(git, head)), ...(await readAssertions(git, base))]),
    );
  const known = new Set<string>();
  return findings.filter((finding) => {
    const key = JSON.stringify(finding);
    const isNew = !known.has(key) && !isAllowed(finding, mayChange);
    known.add(key);
    return isNew;
  });
};
