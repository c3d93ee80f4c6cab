import { LOCK_FILE } from "../../gates/package-manager.ts";
import { folderName } from "../../worker/state/worker-place.ts";
import type { ProjectFacts } from "./inspect-project.ts";

const quote = (text: string): string => JSON.stringify(text);

const inputsOf = ({ packageManager, hasTypeScript }: ProjectFacts): string => {
  const files = ["src/**", "test/**", "*.json"];
  if (hasTypeScript) files.push("*.ts");
  if (packageManager) files.push(LOCK_FILE[packageManager]);
  return `[${[...new Set(files)].map(quote).join(", ")}]`;
};

/** `agent.config.ts`: small, working, every line explained where it is not plain. */
export const configTemplate = (facts: ProjectFacts): string => {
  const gates = [
    facts.testCommand === undefined
      ? `    // test: { command: "npm test" },`
      : `    test: { command: ${quote(facts.testCommand)}, timeoutSeconds: 600 },`,
    ...(facts.lintCommand === undefined ? [] : [`    lint: { command: ${quote(facts.lintCommand)} },`]),
  ];
  // A type check that takes in the whole folder would be red until the package is in the project.
  const untyped =
    facts.hasTypeScript && !facts.isInstalled
      ? "// @ts-ignore: typed once the package is in the project; until then it works all the same.\n"
      : "";
  const name = folderName(facts.root);
  return `${untyped}import { defineConfig } from "nightshift";

// What can stand here: docs/config.md of the package. Checked when it is loaded; unknown keys are refused.
export default defineConfig({
  workers: {
    // worker start ${name} --task "what is to be done"
    ${/^[A-Za-z_]\w*$/.test(name) ? name : quote(name)}: {${facts.agents[0] === undefined ? "" : ` agent: ${quote(facts.agents[0])},`} max: 10 },
  },
  gates: {
    // Five are built in: types, uncommitted, any (they block), todo, console (they warn).
    // With inputs a gate's answer is cached: inputs: ${inputsOf(facts)}
${gates.join("\n")}
  },
  memory: {
    // Workers ask the server of this machine (nightshift serve) before each session, and tell it how it went.
    // Another one, after nightshift login: url: "https://night.example.com"
  },
  critic: {
    // Every decision, one JSON line each; the folder keeps itself out of git.
    log: ".nightshift/critic.jsonl",
  },
});
`;
};

export const healthTemplate = (): string => `#!/bin/sh
# Runs the gates of agent.config.ts. Exit 0: healthy. Exit 1: blockers; a worker gets what is printed here
# in its prompt. Edit it freely; --json and --format junit|sarif|github are passed on.
cd "$(dirname "$0")/.." || exit 1
if [ -x node_modules/.bin/nightshift ]; then
  exec node_modules/.bin/nightshift gate "$@"
elif command -v nightshift >/dev/null 2>&1; then
  exec nightshift gate "$@"
elif [ -f "$HOME/.nightshift/nightshift.mjs" ]; then
  exec node "$HOME/.nightshift/nightshift.mjs" gate "$@"
fi
echo "gates: NO CHECK RAN: nightshift was not found; run in the folder that holds it: npm install --global ." >&2
exit 1
`;

export const SECTION_START = "<!-- nightshift: begin -->";
export const SECTION_END = "<!-- nightshift: end -->";

export const agentsSection = ({ testCommand }: ProjectFacts): string => `${SECTION_START}
## Working here unattended

- Before and after a change run \`gates/health.sh\`: exit 0 is healthy, exit 1 means blockers. Do not go round it.
- Tests come first: write the failing test, then the code.${testCommand === undefined ? "" : ` Run them with \`${testCommand}\`.`}
- Commit each finished step; leave nothing uncommitted.
- Before something out of the ordinary ask the critic: \`node ~/.nightshift/check.mjs "<what you are about to do>"\`. STOP means: do what it suggests instead.
- What was learned here before: \`nightshift memory search "<what you are about to do>"\`. When something cost you time that the next one need not spend, write it down: \`nightshift memory add "<when it matters>" "<what to do then>"\`.
- Past conversations: \`agent-search "<words>"\`. Close to the context limit, write a handoff note.
- The last line of your work is \`DONE:\` with a summary, or \`HANDOFF:\` with what is left.
${SECTION_END}`;

const SETUP: Record<string, string> = {
  npm: "npm ci",
  pnpm: "corepack enable && pnpm install --frozen-lockfile",
  yarn: "corepack enable && yarn install --immutable",
  bun: "npm install --global bun && bun install --frozen-lockfile",
};

export const workflowTemplate = ({ packageManager }: ProjectFacts): string => `name: gates
on:
  push:
    branches: [main]
  pull_request:
jobs:
  gates:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
${packageManager === undefined ? "      - run: npm install --no-save ./vendor/nightshift-*.tgz" : `      - run: ${SETUP[packageManager]}`}
      - run: gates/health.sh --format github
`;
