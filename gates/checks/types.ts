import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Check, type CheckContext, couldNotRun, notApplicable } from "../gate.ts";
import { ADD_FOR_DEVELOPMENT, findPackageManager, readManifest } from "../package-manager.ts";
import { listByGlobs, listProjectFiles } from "../../core/list-files.ts";
import { listWorkspaces } from "../workspaces.ts";
import type { BuiltInGate } from "./built-in-gate.ts";
import { checkCommand } from "./command.ts";
import { listExtendedConfigs } from "./extended-configs.ts";

const SCRIPTS = ["typecheck", "type-check", "types", "check-types", "check:types", "tsc"];

const CONFIG = "tsconfig.json";

const findUp = (folder: string, path: string): string | undefined => {
  const candidate = join(folder, path);
  if (existsSync(candidate)) return candidate;
  const up = dirname(folder);
  return up === folder ? undefined : findUp(up, path);
};

const quote = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

type TypesCommand = { command: string } | { missing: string; isNeeded: boolean };

/** tsc of one folder that has a tsconfig.json, called from the root. */
const tscOf = (root: string, folder: string): TypesCommand => {
  const path = join(root, folder);
  const file = findUp(path, join("node_modules", ".bin", "tsc"));
  // With Plug'n'Play Yarn has no node_modules, and finds programs itself.
  const tsc = file !== undefined ? quote(file) : findUp(path, ".pnp.cjs") && "yarn run tsc";
  if (tsc === undefined)
    return {
      missing: `${join(folder, CONFIG)} is there, TypeScript is not; install it: ${ADD_FOR_DEVELOPMENT[findPackageManager(path)]} typescript`,
      isNeeded: true,
    };
  const isSolution = /"references"\s*:/.test(readFileSync(join(path, CONFIG), "utf8"));
  const project = quote(folder);
  return {
    command: `${tsc} ${isSolution ? `-b ${project} --noEmit` : `--noEmit -p ${project}`} --pretty false`,
  };
};

/** One command out of several: all of them run, and it fails when one does. */
const inTurn = (commands: readonly string[]): string =>
  commands.length === 1
    ? (commands[0] ?? "")
    : ["failed=0", ...commands.map((command) => `${command} || failed=$?`), "exit $failed"].join("; ");

/**
 * The command that finds type errors: the project's own script, else its tsc, for each workspace package where
 * the root has no tsconfig.json itself.
 */
export const findTypesCommand = (root: string): TypesCommand => {
  const scripts = readManifest(root)?.scripts ?? {};
  const script = SCRIPTS.find((name) => scripts[name] !== undefined);
  if (script !== undefined) return { command: `${findPackageManager(root)} run ${script}` };
  const folders = [".", ...listWorkspaces(root)].filter((folder) => existsSync(join(root, folder, CONFIG)));
  if (folders.length === 0) return { missing: "no tsconfig.json", isNeeded: false };
  const found = (folders[0] === "." ? ["."] : folders).map((folder) => tscOf(root, folder));
  return (
    found.find((one) => "missing" in one) ?? {
      command: inTurn(found.flatMap((one) => ("command" in one ? [one.command] : []))),
    }
  );
};

const listBuildInfo = async (root: string, env: CheckContext["env"]): Promise<string[]> =>
  (await listProjectFiles(root, env)).filter((file) => file.endsWith(".tsbuildinfo"));

/** `tsc -b` writes down what it knows even with --noEmit: what git would show of it goes again, a gate leaves no trace. */
const withoutTrace =
  (check: Check): Check =>
  async (context) => {
    const { root, env } = context;
    const before = new Set(await listBuildInfo(root, env));
    const answer = await check(context);
    for (const file of await listBuildInfo(root, env))
      if (!before.has(file)) rmSync(join(root, file), { force: true });
    return answer;
  };

/** Type errors, found by the project's own command or by tsc. */
const checkTypes =
  (ownCommand: string | undefined, cwd: string | undefined): Check =>
  async (context) => {
    if (ownCommand !== undefined) return checkCommand(ownCommand, cwd)(context);
    const root = cwd === undefined ? context.root : join(context.root, cwd);
    const found = findTypesCommand(root);
    if ("command" in found) return withoutTrace(checkCommand(found.command, cwd))(context);
    return found.isNeeded ? couldNotRun(found.missing) : notApplicable(found.missing);
  };

const TYPE_INPUTS =
  /(?:\.(?:[cm]?[jt]sx?|vue|svelte|json|d\.ts)|(?:^|\/)(?:pnpm-lock\.yaml|yarn\.lock|bun\.lock))$/;

/** What git ignores is compiled all the same, and what a tsconfig extends decides with it: both count, too. */
const listTypeInputs = (files: readonly string[], root: string): string[] => {
  const sources = listByGlobs(["**/*.{ts,tsx,mts,cts}"], root);
  const own = files.filter((file) => TYPE_INPUTS.test(file));
  return [...new Set([...own, ...sources, ...listExtendedConfigs(own, root)])].sort();
};

export const typesGate: BuiltInGate = {
  severity: "block",
  summary: "Type errors, by the project's own command or tsc",
  takesCommand: true,
  make: ({ command, cwd }, { root, chosen }) => {
    const found = findTypesCommand(cwd === undefined ? root : join(root, cwd));
    return {
      check: checkTypes(command, cwd),
      select: chosen ?? ((files) => listTypeInputs(files, root)),
      cacheKey: JSON.stringify(["types", command ?? ("command" in found ? found.command : ""), cwd ?? ""]),
      hasBaseline: true,
    };
  },
};
