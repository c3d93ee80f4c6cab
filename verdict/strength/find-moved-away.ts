import { minimatch } from "minimatch";
import type { Git } from "../../core/git.ts";
import { listChangedFiles } from "./changed-files.ts";
import { type Pairs, pairTests } from "./pair-tests.ts";
import { readSources } from "./read-sources.ts";
import type { TestResult } from "./run/read-report.ts";
import type { TestRunner } from "./run/test-runners.ts";
import type { LostTest } from "./outcomes.ts";
import { isNamedAsTest, languageOf } from "./test-files.ts";
import type { LexedLanguage } from "./tokens.ts";

const LANGUAGES: Record<TestRunner["id"], LexedLanguage> = {
  "node:test": "javascript",
  vitest: "javascript",
  jest: "javascript",
  pytest: "python",
  "go test": "go",
  "cargo test": "rust",
};

type Commits = { base: string; head: string; mayChange: readonly string[] };
type Ran = { results: readonly TestResult[]; runner: TestRunner };

const pairsOf = async (git: Git, { base, head }: Commits, runner: TestRunner): Promise<Pairs["pairs"]> => {
  const changed = (await listChangedFiles(git, base, head)).filter(
    ({ file }) => languageOf(file) === LANGUAGES[runner.id],
  );
  return pairTests(await readSources(git, changed)).pairs;
};

/** Whether one of these ran under a name: runners put a package, a target or modules before it, and values behind. */
const runsAs = (results: readonly TestResult[]): ((name: string) => boolean) => {
  const ran = results.map(({ name }) => ` ${name.replace(/\[.*\]$/, "")}`);
  return (name) => ran.some((each) => each.endsWith(` ${name}`) || each.endsWith(`::${name}`));
};

/** Tests that went to another file, and that HEAD's own run does not know there. Titles made of values are left out. */
export const findMovedAway = async (
  { git }: { git: Git },
  commits: Commits,
  { results, runner }: Ran,
): Promise<LostTest[]> => {
  const isRun = runsAs(results);
  return (await pairsOf(git, commits, runner)).flatMap(({ base: before, head: after }) => {
    const name = after.test.name.replaceAll('"', "");
    const isAllowed = commits.mayChange.some((glob) => minimatch(before.file, glob, { dot: true }));
    const isKnown =
      isAllowed ||
      before.file === after.file ||
      after.test.off !== undefined ||
      /[%$]/.test(name) ||
      isRun(name);
    return isKnown ? [] : [{ name, file: after.file, was: "passed" as const, now: "missing" as const }];
  });
};

/**
 * What is left of lost tests when those are taken away that stood beside the code, where no file of the base's tests
 * brings them back, and that pass on HEAD under another name. Whether they are as strong, the syntax says.
 */
export const withoutRenamed = async (
  { git }: { git: Git },
  commits: Commits,
  { lost, results, runner }: Ran & { lost: readonly LostTest[] },
): Promise<LostTest[]> => {
  const isInCode = ({ file, now }: LostTest): boolean =>
    now === "missing" && file !== undefined && !isNamedAsTest(file);
  if (!lost.some(isInCode)) return [...lost];
  const isPassing = runsAs(results.filter(({ outcome }) => outcome === "passed"));
  const renamed = (await pairsOf(git, commits, runner)).filter(({ head }) => isPassing(head.test.name));
  return lost.filter(
    (test) =>
      !isInCode(test) ||
      !renamed.some(({ base }) => base.file === test.file && test.name.endsWith(` ${base.test.name}`)),
  );
};
