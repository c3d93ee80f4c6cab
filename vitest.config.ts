import { readFileSync } from "node:fs";
import { globSync } from "glob";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const BUILT = ["node_modules/**", "dist/**", "test/fixtures/**"];

/**
 * Files that hold nothing of the run asked for: with `!long` those whose tests are all long, with `long` those that
 * have no such test. To load them all, only to skip what is in them, takes half a minute, and minutes in processes
 * of their own.
 */
const listOtherFiles = (filter: string): string[] =>
  globSync("**/*.test.ts", { ignore: BUILT }).filter((file) => {
    const text = readFileSync(file, "utf8");
    const isAllLong = text.startsWith("// @module-tag long\n");
    if (filter === "!long") return isAllLong;
    return filter === "long" && !isAllLong && !/\btags: \[[^\]]*"long"/.test(text);
  });

/** Minutes each with the numbers of `.ci/run`: they begin first, so that one worker is not left alone with them. */
const LONGEST =
  /\/test\/(faults\/(fast-night|kills)|queue\/lost-lines|attacks\/[^/]+|driver-conformance\/[^/]+)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

const filter = process.argv.find((word) => word.startsWith("--tags-filter="))?.slice("--tags-filter=".length);

/** For what hangs: on a busy machine a test may take ten times as long, and that is no failure. */
const PATIENCE_MS = 900_000;

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: [...BUILT, ...(filter === undefined ? [] : listOtherFiles(filter))],
    testTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS / 2 } },
    hookTimeout: PATIENCE_MS,
    pool: "forks",
    // Starting a process and loading the same modules for each file costs more than most quick files' tests.
    // What a test changes in its process (the environment, handlers of signals) it therefore puts back.
    isolate: filter !== "!long",
    // Long tests wait a third of their time, for agents and clocks.
    maxWorkers: filter === "long" ? 3 : 2,
    sequence: { sequencer: LongestFirst },
    tags: [
      {
        name: "long",
        description:
          "kills, floods, faults and real agents, and on Bun what was tried on Node: npm run test:long",
      },
    ],
    // package.json changes with every script that is added; it is no reason to run everything again.
    forceRerunTriggers: ["**/vitest.config.ts"],
  },
});
