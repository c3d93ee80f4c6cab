import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findProjectRoot } from "../../../core/config/find-config.ts";
import { recordTrust } from "../../../core/config/trust-record.ts";
import { AppError } from "../../../core/errors.ts";
import { nightshiftHome } from "../../../core/paths.ts";
import { packageRoot, readVersion } from "../../../core/version.ts";
import { HOOK_AGENTS, type HookAgent } from "../../../gates/critic/hook-agents.ts";
import { applyChanges, undoChanges } from "../../init/apply-changes.ts";
import { inspectProject, type ProjectFacts } from "../../init/inspect-project.ts";
import { nextSteps } from "../../init/next-steps.ts";
import { type Change, CONFIG_FILE, planInit, planLaunchers } from "../../init/plan-init.ts";
import { type CommandIo, defineCommand } from "../../command/define-command.ts";
import { ask } from "../../command/ask.ts";
import { hang } from "../../command/wrap-words.ts";

const describeFacts = (facts: ProjectFacts, columns: number): string[] =>
  Object.entries({
    project: `${facts.root}${facts.isGit ? "" : " (no git repository: workers need one; run git init)"}`,
    packages: `${facts.packageManager ?? "no package.json"}${facts.hasTypeScript ? ", TypeScript" : ""}`,
    tests: facts.testCommand ?? "no test command found; add one to gates in agent.config.ts",
    agents: facts.agents.length > 0 ? facts.agents.join(", ") : "none on PATH",
  }).flatMap(([name, text]) => hang(name.padEnd(13), text, columns));

const describeChange = (
  { shown, before, content, summary, overwrites }: Change,
  columns: number,
): string[] => {
  const verb =
    content === undefined ? "remove" : before === undefined ? "create" : overwrites ? "REPLACE" : "change";
  return hang(`  ${verb.padEnd(8)} ${shown.padEnd(30)} `, summary, columns);
};

/** Added lines of a file that changes, so that nobody agrees to something unseen. */
const describeLines = ({ before, content }: Change): string[] => {
  if (before === undefined || content === undefined) return [];
  const had = new Set(before.split("\n"));
  const has = new Set(content.split("\n"));
  return [
    ...before
      .split("\n")
      .filter((line) => !has.has(line))
      .map((line) => `      - ${line}`),
    ...content
      .split("\n")
      .filter((line) => !had.has(line))
      .map((line) => `      + ${line}`),
  ];
};

type Choice = { yes: boolean; force: boolean };

/** The changes that are agreed to. What would replace somebody's file is asked for apart, and `--yes` is no yes to it. */
const chooseChanges = async (
  changes: readonly Change[],
  { yes, force }: Choice,
  io: CommandIo,
): Promise<Change[]> => {
  const { reporter } = io;
  const harmless = changes.filter(({ overwrites }) => !overwrites);
  const replacing = changes.filter(({ overwrites }) => overwrites);
  if (!yes && !io.stdin.isTTY)
    throw new AppError(
      "usage",
      "init asks before it writes, and there is no terminal; pass --yes, or --dry-run to look",
    );
  if (harmless.length > 0 && !yes && !(await ask("Write this?", io))) return [];
  const chosen = [...harmless];
  for (const change of replacing) {
    if (force || (!yes && (await ask(`Replace ${change.shown}, which is there already?`, io))))
      chosen.push(change);
    else reporter.note(`kept ${change.shown} as it is${yes ? " (--force replaces it)" : ""}`);
  }
  return chosen;
};

const hookedAgents = (facts: ProjectFacts): HookAgent[] => {
  const present = HOOK_AGENTS.filter((agent) => facts.agents.includes(agent));
  return present.length > 0 ? present : ["claude"];
};

/** What a command does stands behind it, else before it. */
const stepLines = (step: string, columns: number): string[] => {
  const [command = "", note] = step.split(/ {2,}(?=# )/);
  return note === undefined || step.length + 2 <= columns ? [step] : [note, command];
};

export const init = defineCommand({
  description:
    "Looks at the project first, shows every file it would write, asks, and can take back what it wrote in the project (~/.nightshift stays: other projects use it). A file that is there already is never replaced without a yes of its own.",
  args: [{ name: "dir", description: "the project (the current one)", isOptional: true, complete: "folder" }],
  options: {
    hooks: {
      type: "boolean",
      description:
        "also put the critic before every tool call of Claude Code, Codex, Gemini CLI, opencode and pi",
    },
    remove: { type: "boolean", description: "with --hooks: take the hooks out again, and only them" },
    ci: { type: "boolean", description: "also write a GitHub Actions workflow that runs the gates" },
    home: { type: "boolean", description: "only install ~/.nightshift/check.mjs, the critic's launcher" },
    yes: { type: "boolean", short: "y", description: "ask nothing; files that are there already are kept" },
    force: { type: "boolean", description: "replace files that are there already" },
    dryRun: { type: "boolean", description: "show what would be written, and write nothing" },
    undo: { type: "boolean", description: "take back what init wrote here" },
  },
  examples: [
    "nightshift init --dry-run",
    "nightshift init --yes --hooks --ci",
    "nightshift init --hooks --remove",
    "nightshift init --undo",
  ],
  run: async ({ args, options }, io) => {
    const { env, cwd, reporter } = io;
    const folder = resolve(cwd, args.dir ?? ".");
    if (!existsSync(folder)) throw new AppError("not-found", `there is no folder ${folder}`);
    const root = findProjectRoot(folder);
    if (options.undo) {
      const undone = undoChanges(root);
      reporter.answer(undone, [
        ...undone.restored.map((shown) => `taken back: ${shown}`),
        ...undone.kept.map((shown) => `kept, because it was changed since: ${shown}`),
        "left alone: ~/.nightshift, which other projects use, and packages that were installed",
      ]);
      return undone.kept.length === 0;
    }
    const facts = await inspectProject(root, env);
    const urlOf = (path: string) => pathToFileURL(resolve(packageRoot(), path)).href;
    const launcher = planLaunchers(nightshiftHome(env), {
      check: urlOf("check.mjs"),
      nightshift: urlOf("dist/scripts/nightshift.js"),
    });
    const everywhere = `"$HOME/.nightshift/check.mjs"`;
    // Only Claude Code tells its hooks where the project is.
    const inProject = `"$CLAUDE_PROJECT_DIR/node_modules/nightshift/check.mjs"`;
    const scripts = (agent: HookAgent): string =>
      agent === "claude" && facts.isInstalled ? inProject : everywhere;
    const plan = {
      hooks: options.hooks ? hookedAgents(facts) : [],
      ci: options.ci,
      removeHooks: options.remove,
      scripts,
    };
    // The section of AGENTS.md and the hooks call the launcher, so it comes along.
    const changes = options.home
      ? launcher
      : [
          ...planInit(facts, options.hooks && options.remove ? { ...plan, hooks: HOOK_AGENTS } : plan),
          ...(options.remove ? [] : launcher),
        ];
    if (!options.home) for (const line of describeFacts(facts, reporter.columns)) reporter.text(line);
    if (!options.home) reporter.text("");
    for (const change of changes)
      for (const line of [...describeChange(change, reporter.columns), ...describeLines(change)])
        reporter.text(line);
    if (changes.length === 0) reporter.text("everything is there already");
    const shown = changes.map(({ shown: file, before, content, overwrites, summary }) => ({
      file,
      action: content === undefined ? "remove" : before === undefined ? "create" : "change",
      overwrites,
      summary,
    }));
    if (options.dryRun || changes.length === 0) {
      reporter.json({ project: facts, changes: shown, written: [] });
      return true;
    }
    const chosen = await chooseChanges(
      changes,
      { yes: options.yes || options.force, force: options.force },
      io,
    );
    applyChanges(root, chosen);
    // What init wrote was shown and agreed to.
    const config = chosen.find(({ shown: file }) => file === CONFIG_FILE);
    if (config) recordTrust(env, { root, entries: [config.path] });
    reporter.json({ project: facts, changes: shown, written: chosen.map(({ shown: file }) => file) });
    if (chosen.length === 0) reporter.note("nothing was written");
    else if (!options.home && !options.remove) {
      const own = { folder: packageRoot(), version: readVersion() };
      const steps = await nextSteps(env, { facts, chosen, own });
      const lines = steps.flatMap((step) => stepLines(step, reporter.columns));
      reporter.text(["", "next:", ...lines.map((line) => `  ${line}`)].join("\n"));
    }
  },
});
