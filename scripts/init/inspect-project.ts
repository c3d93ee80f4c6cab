import { existsSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../agents/find-program.ts";
import { type AgentId, listPrograms } from "../../agents/index.ts";
import { findConfigFile } from "../../core/config/find-config.ts";
import { createGit } from "../../core/git.ts";
import type { Environment } from "../../core/paths.ts";
import { findPackageManager, type PackageManager, readManifest } from "../../gates/package-manager.ts";

/** What `init` finds in a project before it writes a line. */
export type ProjectFacts = {
  root: string;
  isGit: boolean;
  packageManager: PackageManager | undefined;
  hasTypeScript: boolean;
  /** git would take the installed packages for work that nobody committed */
  showsPackages: boolean;
  /** commands that the project already has for it */
  testCommand: string | undefined;
  lintCommand: string | undefined;
  /** agents on PATH, in the order in which a worker would choose */
  agents: AgentId[];
  /** path of a config that is there already */
  config: string | undefined;
  /** Nightshift is one of the project's own dependencies */
  isInstalled: boolean;
};

const runScript = (manager: PackageManager, name: string): string =>
  name === "test" && manager !== "bun" ? `${manager} test` : `${manager} run ${name}`;

const findTestCommand = (root: string, manager: PackageManager | undefined): string | undefined => {
  const test = readManifest(root)?.scripts?.["test"];
  if (manager !== undefined && test !== undefined && !test.includes("no test specified"))
    return runScript(manager, "test");
  const others: [string, string][] = [
    ["pytest.ini", "pytest"],
    ["pyproject.toml", "pytest"],
    ["Cargo.toml", "cargo test"],
    ["go.mod", "go test ./..."],
    ["mix.exs", "mix test"],
    ["pom.xml", "mvn -q test"],
  ];
  return others.find(([file]) => existsSync(join(root, file)))?.[1];
};

const findAgents = async (env: Environment): Promise<AgentId[]> => {
  const found: AgentId[] = [];
  for (const { id, program } of listPrograms())
    if ((await findProgram(program, env)) !== undefined) found.push(id);
  return found;
};

export const inspectProject = async (root: string, env: Environment): Promise<ProjectFacts> => {
  const manifest = readManifest(root);
  const packageManager = manifest ? findPackageManager(root) : undefined;
  const lint = manifest?.scripts?.["lint"];
  const isGit = existsSync(join(root, ".git"));
  const isIgnored = () => createGit(root, env).find(["check-ignore", "-q", "node_modules/"]);
  return {
    root,
    isGit,
    packageManager,
    showsPackages: isGit && packageManager !== undefined && (await isIgnored()) === undefined,
    hasTypeScript: existsSync(join(root, "tsconfig.json")),
    testCommand: findTestCommand(root, packageManager),
    lintCommand:
      lint !== undefined && packageManager !== undefined ? runScript(packageManager, "lint") : undefined,
    agents: await findAgents(env),
    config: findConfigFile(root),
    isInstalled: existsSync(join(root, "node_modules", "nightshift", "package.json")),
  };
};
