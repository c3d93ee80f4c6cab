import { readFileSync } from "node:fs";
import { globSync } from "glob";
import { defineConfig } from "vitest/config";

const BUILT = ["node_modules/**", "dist/**", "test/fixtures/**"];

/** Files whose tests are all long: to load them, only to skip what is in them, takes 25 seconds. */
const listLongFiles = (): string[] =>
  globSync("**/*.test.ts", { ignore: BUILT }).filter((file) =>
    readFileSync(file, "utf8").startsWith("// @module-tag long\n"),
  );

const isWithoutLong = process.argv.includes("--tags-filter=!long");

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: [...BUILT, ...(isWithoutLong ? listLongFiles() : [])],
    // For what hangs: on a busy machine a test may take ten times as long, and that is no failure.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: "forks",
    maxWorkers: 2,
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
