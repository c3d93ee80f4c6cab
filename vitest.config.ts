import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: ["node_modules/**", "dist/**", "test/fixtures/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
