import { join } from "node:path";
import { readFileIfThere } from "../../core/read-file.ts";
import type { HookAgent } from "../../gates/critic/hook-agents.ts";
import { addHook, HOOK_FILES, removeHook } from "./agent-hooks.ts";
import type { ProjectFacts } from "./inspect-project.ts";
import {
  agentsSection,
  configTemplate,
  healthTemplate,
  SECTION_END,
  SECTION_START,
  workflowTemplate,
} from "./templates.ts";

/** One file that `init` would write. `content` undefined takes the file away. */
export type Change = {
  /** absolute */
  path: string;
  /** relative to the project, or `~/…` */
  shown: string;
  before: string | undefined;
  content: string | undefined;
  mode?: number;
  summary: string;
  /** it would replace something that somebody else wrote */
  overwrites: boolean;
  /** it serves other projects too: undoing this one leaves it */
  isShared?: boolean;
};

export type InitOptions = {
  hooks: readonly HookAgent[];
  ci: boolean;
  /** take the hooks out again, and nothing else */
  removeHooks: boolean;
  /** how each agent's shell names the hook's script */
  scripts: (agent: HookAgent) => string;
};

export const CONFIG_FILE = "agent.config.ts";
export const WORKFLOW_FILE = ".github/workflows/gates.yml";

/** The change of one file; none where it is so already. */
const change = (
  path: string,
  content: string | undefined,
  about: Pick<Change, "shown" | "summary"> & Partial<Change>,
): Change[] => {
  const before = readFileIfThere(path);
  return before === content ? [] : [{ path, before, content, overwrites: false, ...about }];
};

const fileChange = (
  root: string,
  shown: string,
  content: string,
  about: Pick<Change, "summary" | "mode">,
): Change[] => {
  const path = join(root, shown);
  return change(path, content, { shown, overwrites: readFileIfThere(path) !== undefined, ...about });
};

const agentsChange = (facts: ProjectFacts): Change[] => {
  const path = join(facts.root, "AGENTS.md");
  const before = readFileIfThere(path);
  const section = agentsSection(facts);
  const start = before?.indexOf(SECTION_START) ?? -1;
  const end = before?.indexOf(SECTION_END) ?? -1;
  const content =
    before === undefined
      ? `# For people and agents who work here\n\n${section}\n`
      : start >= 0 && end > start
        ? `${before.slice(0, start)}${section}${before.slice(end + SECTION_END.length)}`
        : `${before.trimEnd()}\n\n${section}\n`;
  const summary = before === undefined ? "how agents work here" : "a section on how agents work here";
  return change(path, content, { shown: "AGENTS.md", summary });
};

const ignoreChange = ({ root }: ProjectFacts): Change[] => {
  const path = join(root, ".gitignore");
  const before = readFileIfThere(path) ?? "";
  const line = before === "" || before.endsWith("\n") ? "" : "\n";
  return change(path, `${before}${line}node_modules/\n`, {
    shown: ".gitignore",
    summary: "installed packages are nobody's work",
  });
};

const hookChange = (root: string, agent: HookAgent, { removeHooks, scripts }: InitOptions): Change[] => {
  const shown = HOOK_FILES[agent];
  const path = join(root, shown);
  const before = readFileIfThere(path);
  if (removeHooks)
    return change(path, before && removeHook(before, agent), { shown, summary: "without the critic's hook" });
  return change(path, addHook(before, { agent, script: scripts(agent) }), {
    shown,
    summary: `the critic before every tool call of ${agent}`,
  });
};

/** What `init` would change in a project; nothing is written here. */
export const planInit = (facts: ProjectFacts, options: InitOptions): Change[] => {
  const { root } = facts;
  const hooks = options.hooks.flatMap((agent) => hookChange(root, agent, options));
  if (options.removeHooks) return hooks;
  return [
    ...(facts.config === undefined
      ? fileChange(root, CONFIG_FILE, configTemplate(facts), {
          summary: "workers, gates and critic, typed",
        })
      : []),
    ...fileChange(root, "gates/health.sh", healthTemplate(), {
      summary: "runs the gates; workers and CI call it",
      mode: 0o755,
    }),
    ...agentsChange(facts),
    ...(facts.showsPackages ? ignoreChange(facts) : []),
    ...(options.ci
      ? fileChange(root, WORKFLOW_FILE, workflowTemplate(facts), {
          summary: "the gates on every push and pull request",
        })
      : []),
    ...hooks,
  ];
};

const LAUNCHER_MARK = "written by: nightshift init";

const launcher = (file: string, url: string): string => `#!/usr/bin/env node
// A name for Nightshift that is the same on every machine; ${LAUNCHER_MARK}
try {
  await import(${JSON.stringify(url)});
} catch (error) {
  if (error?.code !== "ERR_MODULE_NOT_FOUND") throw error;
  process.stderr.write("nightshift: it is gone from the place that ~/.nightshift/${file} knows, so nothing was done; run there: nightshift init --home\\n");
  process.exitCode = process.argv.some((word) => word.startsWith("--hook")) ? 2 : 70;
}
`;

/**
 * `~/.nightshift/check.mjs` and `nightshift.mjs`: the critic and the command line under names that hooks,
 * AGENTS.md and gates/health.sh can say on every machine. They belong to the user, not to one project.
 */
export const planLaunchers = (home: string, urls: { check: string; nightshift: string }): Change[] =>
  (
    [
      ["check.mjs", urls.check, "the critic, callable from everywhere"],
      ["nightshift.mjs", urls.nightshift, "what gates/health.sh calls where the package is not installed"],
    ] as const
  ).flatMap(([file, url, summary]) => {
    const path = join(home, file);
    const before = readFileIfThere(path);
    return change(path, launcher(file, url), {
      shown: `~/.nightshift/${file}`,
      mode: 0o755,
      summary,
      overwrites: before !== undefined && !before.includes(LAUNCHER_MARK),
      isShared: true,
    });
  });
