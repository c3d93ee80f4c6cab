import { ADD_FOR_DEVELOPMENT, LOCK_FILE, type PackageManager } from "../../gates/package-manager.ts";
import { createGit, type GitEnvironment } from "../../core/git.ts";
import { folderName } from "../../worker/state/worker-place.ts";
import { HOOK_FILES } from "./agent-hooks.ts";
import type { ProjectFacts } from "./inspect-project.ts";
import { type Change, WORKFLOW_FILE } from "./plan-init.ts";

/** This very package: where it lies, and which one it is. */
type OwnPackage = { folder: string; version: string };

/**
 * How the project gets Nightshift: from where this very package lies, because no registry has it under this
 * name. In CI there is no such folder, so there the packed file goes into the project.
 */
const installSteps = (manager: PackageManager, { folder, version }: OwnPackage, ci: boolean): string[] => {
  const add = ADD_FOR_DEVELOPMENT[manager];
  if (!ci) return [`${add} file:${folder}`];
  return [
    `mkdir -p vendor && npm pack --ignore-scripts --pack-destination vendor ${folder}`,
    `${add} ./vendor/nightshift-${version}.tgz`,
  ];
};

const quoted = (path: string): string =>
  /[^\w./-]/.test(path) ? `'${path.replaceAll("'", `'\\''`)}'` : path;

/** What git would refuse to add; it exits with 1 where there is no such thing. */
const findIgnored = async (
  paths: readonly string[],
  root: string,
  env: GitEnvironment,
): Promise<Set<string>> => {
  const git = createGit(root, env);
  const found = await git.run(["check-ignore", "-z", "--stdin"], { input: paths.join("\0") }).catch(() => "");
  return new Set(found.split("\0"));
};

/**
 * What to paste after init, in this order, to a first gate that is not red for init's own files.
 */
export const nextSteps = async (
  env: GitEnvironment,
  { facts, chosen, own }: { facts: ProjectFacts; chosen: readonly Change[]; own: OwnPackage },
): Promise<string[]> => {
  const has = (file: string): boolean => chosen.some(({ shown }) => shown === file);
  const ci = has(WORKFLOW_FILE);
  const manager = facts.packageManager ?? "npm";
  const installs = !facts.isInstalled && (facts.packageManager !== undefined || ci);
  const written = chosen.filter((change) => change.isShared !== true && change.content !== undefined);
  const files = [
    ...written.map(({ shown }) => shown),
    ...(installs ? ["package.json", LOCK_FILE[manager], ...(ci ? ["vendor"] : [])] : []),
  ];
  const ignored = await findIgnored(files, facts.root, env);
  const added = files.filter((file) => !ignored.has(file));
  return [
    ...(installs ? [`# ${ci ? "CI needs it in the project" : "types for agent.config.ts"}:`] : []),
    ...(installs ? installSteps(manager, own, ci) : []),
    ...(facts.isGit ? [] : ["git init                                     # workers need a repository"]),
    ...(added.length > 0
      ? [
          "# uncommitted files are red, so first:",
          `git add ${added.map(quoted).join(" ")} && git commit -m "Set up Nightshift"`,
        ]
      : []),
    "gates/health.sh                              # what blocks today",
    `worker start ${folderName(facts.root)} --task "what is to be done"`,
    ...(has(HOOK_FILES.codex)
      ? ["codex, then /hooks                           # Codex runs a hook only after you trust it"]
      : []),
    "nightshift init --undo                       # takes these files back; ~/.nightshift stays",
  ];
};
