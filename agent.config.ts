import { defineConfig } from "./index.ts";

// This repository is worked on by its own workers, under its own gates and critic.
export default defineConfig({
  workers: {
    main: {
      task: "Take the next open line of CHANGELOG.md's Unreleased section further; end with green gates",
      max: 10,
    },
  },
  gates: {
    types: {
      command: "npx tsc --noEmit",
      inputs: ["**/*.ts", "**/*.tsx", "tsconfig.json", "package-lock.json", "!dist/**"],
    },
    lint: { command: "npx oxlint --type-aware --deny-warnings .", fix: "npx oxlint --type-aware --fix ." },
    format: { command: "npx oxfmt --check .", fix: "npx oxfmt ." },
    // Fixtures hold what the gates look for; the edges and the benchmarks print.
    any: { inputs: ["**/*.ts", "!dist/**", "!test/fixtures/**", "!**/fixtures/**"] },
    todo: { inputs: ["**/*.{ts,mjs}", "!dist/**", "!**/*.test.ts", "!**/fixtures/**"] },
    console: {
      inputs: [
        "{agents,client,conversations,core,db,gates,notify,pool,queue,runner,sandbox,server,tasks,verdict,webmcp,worker}/**/*.ts",
        "!**/*.test.ts",
        "!**/fixtures/**",
        "!webmcp/examples/**",
      ],
    },
  },
  critic: {
    log: ".nightshift/critic.jsonl",
    patterns: [
      {
        id: "no-mock-of-own-modules",
        severity: "HIGH",
        pattern: "\\bvi\\.mock\\(\\s*['\"`]\\.",
        message: "A mock of our own module tests the mock.",
        suggestion: "Pass the port as an argument and use a real file, process or socket.",
        match: ["add vi.mock('./clock.ts') to the test"],
        noMatch: ["pass a clock to the function"],
      },
    ],
  },
});
