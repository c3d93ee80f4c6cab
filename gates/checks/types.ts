import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Check, couldNotRun, notApplicable } from "../gate.ts";
import { ADD_FOR_DEVELOPMENT, findPackageManager, readManifest } from "../package-manager.ts";
import { checkCommand } from "./command.ts";

const SCRIPTS = ["typecheck", "type-check", "types", "check-types", "check:types", "tsc"];

const findUp = (folder: string, path: string): string | undefined => {
  const candidate = join(folder, path);
  if (existsSync(candidate)) return candidate;
  const up = dirname(folder);
  return up === folder ? undefined : findUp(up, path);
};

const quote = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/** The command that finds type errors: the project's own script, else its tsc; undefined where neither is there. */
export const findTypesCommand = (
  root: string,
): { command: string } | { missing: string; isNeeded: boolean } => {
  const scripts = readManifest(root)?.scripts ?? {};
  const script = SCRIPTS.find((name) => scripts[name] !== undefined);
  if (script !== undefined) return { command: `${findPackageManager(root)} run ${script}` };
  const config = join(root, "tsconfig.json");
  if (!existsSync(config)) return { missing: "no tsconfig.json", isNeeded: false };
  const tsc = findUp(root, join("node_modules", ".bin", "tsc"));
  if (tsc === undefined)
    return {
      missing: `tsconfig.json is there, TypeScript is not; install it: ${ADD_FOR_DEVELOPMENT[findPackageManager(root)]} typescript`,
      isNeeded: true,
    };
  const isSolution = /"references"\s*:/.test(readFileSync(config, "utf8"));
  return { command: `${quote(tsc)} ${isSolution ? "-b --noEmit" : "--noEmit -p ."} --pretty false` };
};

/** Type errors, found by the project's own command or by tsc. */
export const checkTypes =
  (ownCommand: string | undefined, cwd: string | undefined): Check =>
  async (context) => {
    if (ownCommand !== undefined) return checkCommand(ownCommand, cwd)(context);
    const root = cwd === undefined ? context.root : join(context.root, cwd);
    const found = findTypesCommand(root);
    if ("command" in found) return checkCommand(found.command, cwd)(context);
    return found.isNeeded ? couldNotRun(found.missing) : notApplicable(found.missing);
  };
