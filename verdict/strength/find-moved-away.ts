import { minimatch } from "minimatch";
import type { Git } from "../../core/git.ts";
import { listChangedFiles } from "./changed-files.ts";
import { pairTests } from "./pair-tests.ts";
import { readSources } from "./read-sources.ts";
import type { TestResult } from "./run/read-report.ts";
import type { TestRunner } from "./run/test-runners.ts";
import type { LostTest } from "./outcomes.ts";
import { languageOf } from "./test-files.ts";
import type { LexedLanguage } from "./tokens.ts";

const LANGUAGES: Record<TestRunner["id"], LexedLanguage> = {
  "node:test": "javascript",
  vitest: "javascript",
  jest: "javascript",
  pytest: "python",
  "go test": "go",
  "cargo test": "rust",
};

/** Tests that went to another file, and that HEAD's own run does not know there. Titles made of values are left out. */
export const findMovedAway = async (
  { git }: { git: Git },
  { base, head, mayChange }: { base: string; head: string; mayChange: readonly string[] },
  { results, runner }: { results: readonly TestResult[]; runner: TestRunner },
): Promise<LostTest[]> => {
  // Runners put a package, a target or modules before a name, and values behind it.
  const ran = results.map(({ name }) => ` ${name.replace(/\[.*\]$/, "")}`);
  const isRun = (name: string): boolean =>
    ran.some((each) => each.endsWith(` ${name}`) || each.endsWith(`::${name}`));
  const changed = (await listChangedFiles(git, base, head)).filter(
    ({ file }) => languageOf(file) === LANGUAGES[runner.id],
  );
  return pairTests(await readSources(git, changed)).pairs.flatMap(({ base: before, head: after }) => {
    const name = after.test.name.replaceAll('"', "");
    const isAllowed = mayChange.some((glob) => minimatch(before.file, glob, { dot: true }));
    const isKnown =
      isAllowed ||
      before.file === after.file ||
      after.test.off !== undefined ||
      /[%$]/.test(name) ||
      isRun(name);
    return isKnown ? [] : [{ name, file: after.file, was: "passed" as const, now: "missing" as const }];
  });
};
