import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createGit } from "../../core/git.ts";

/** What the demo's worker is to do; true for the scripted agent and for a real one. */
export const DEMO_TASK = `Make the tests pass: slugify in slug.mjs must collapse runs of blanks to one "-" and strip accents ("Crème Brûlée" -> "creme-brulee"). Commit your work.`;

const SLUG = `export const slugify = (title) => title.toLowerCase().replace(" ", "-");
`;

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { slugify } from "./slug.mjs";

test("joins words with a dash", () => assert.equal(slugify("Hello World"), "hello-world"));
test("collapses runs of blanks", () => assert.equal(slugify("One  Two   Three"), "one-two-three"));
test("strips accents", () => assert.equal(slugify("Crème Brûlée"), "creme-brulee"));
`;

const HEALTH = `#!/bin/sh
# Exit 0: healthy. Anything else: blockers; what is printed goes into the worker's next prompt.
node slug.test.mjs
`;

type DemoConfig = {
  script: string;
  server: string;
};

const config = ({ script, server }: DemoConfig): string =>
  JSON.stringify(
    {
      agents: { scripted: { script } },
      workers: { demo: { task: DEMO_TASK, max: 6, limits: { sessionMinutes: 10, handoffMinutes: 1 } } },
      memory: { url: server },
    },
    undefined,
    2,
  );

/** Makes a real repository with a failing check, committed, with a config for the worker `demo`. */
export const makeDemoProject = async (
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
  settings: DemoConfig,
): Promise<void> => {
  const files: Record<string, { text: string; mode?: number }> = {
    "slug.mjs": { text: SLUG },
    "slug.test.mjs": { text: TEST },
    "gates/health.sh": { text: HEALTH, mode: 0o755 },
    "agent.config.json": { text: `${config(settings)}\n` },
  };
  for (const [path, { text, mode }] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text, { mode: mode ?? 0o644 });
  }
  const git = createGit(dir, env);
  await git.run(["init", "--quiet", "--initial-branch=main"]);
  await git.run(["config", "user.name", "Demo"]);
  await git.run(["config", "user.email", "demo@localhost"]);
  await git.run(["add", "--all"]);
  await git.run(["commit", "--quiet", "--message", "Start with a failing check"]);
};
