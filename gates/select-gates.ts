import { join, posix } from "node:path";
import { checkCommand } from "./checks/command.ts";
import { listExtendedConfigs } from "./checks/extended-configs.ts";
import { checkSyntax, isSource, SourceReader } from "./checks/syntax.ts";
import { checkTypes, findTypesCommand } from "./checks/types.ts";
import { checkUncommitted } from "./checks/uncommitted.ts";
import { AppError } from "../core/errors.ts";
import { nearestName } from "../core/nearest-name.ts";
import type { GateDeclaration } from "../core/config/sections/gates.ts";
import type { Gate, GateSeverity } from "./gate.ts";
import { listByGlobs } from "../core/list-files.ts";

export type BuiltIn = "types" | "uncommitted" | "any" | "todo" | "console";

const BUILT_INS: Record<BuiltIn, { severity: GateSeverity; summary: string }> = {
  types: { severity: "block", summary: "Type errors, by the project's own command or tsc" },
  uncommitted: { severity: "block", summary: "Changes that are not committed" },
  any: { severity: "block", summary: "Explicit any in TypeScript" },
  todo: { severity: "warn", summary: "TODO, FIXME, XXX and HACK in comments" },
  console: { severity: "warn", summary: "Calls of console.log" },
};

const TIMEOUT_SECONDS = 300;
const TYPE_INPUTS =
  /(?:\.(?:[cm]?[jt]sx?|vue|svelte|json|d\.ts)|(?:^|\/)(?:pnpm-lock\.yaml|yarn\.lock|bun\.lock))$/;

/** What git ignores is compiled all the same, and what a tsconfig extends decides with it: both count, too. */
const listTypeInputs = (files: readonly string[], root: string): string[] => {
  const sources = listByGlobs(["**/*.{ts,tsx,mts,cts}"], root);
  const own = files.filter((file) => TYPE_INPUTS.test(file));
  return [...new Set([...own, ...sources, ...listExtendedConfigs(own, root)])].sort();
};

const isIn = (folder: string | undefined, file: string): boolean =>
  folder === undefined || posix.join(folder, "x") === "x" || file.startsWith(posix.join(folder, "/"));

const builtInGate = (
  id: string,
  builtin: BuiltIn,
  declared: GateDeclaration,
  { root, reader }: { root: string; reader: SourceReader },
): Gate => {
  const { command, cwd, inputs, fix } = declared;
  const chosen = inputs ? (): string[] => listByGlobs(inputs, root) : undefined;
  const base = {
    id,
    severity: declared.severity ?? BUILT_INS[builtin].severity,
    timeoutMs: (declared.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
    ...(fix === undefined ? {} : { fix }),
  };
  if (builtin === "uncommitted")
    return { ...base, check: checkUncommitted, select: () => [], cacheKey: undefined, hasBaseline: false };
  if (builtin === "types") {
    const found = findTypesCommand(cwd === undefined ? root : join(root, cwd));
    return {
      ...base,
      check: checkTypes(command, cwd),
      select: chosen ?? ((files) => listTypeInputs(files, root)),
      cacheKey: JSON.stringify(["types", command ?? ("command" in found ? found.command : ""), cwd ?? ""]),
      hasBaseline: true,
    };
  }
  return {
    ...base,
    check: checkSyntax(builtin === "console" ? "consoleLog" : builtin, reader),
    select: (files) =>
      (chosen?.() ?? files).filter(
        (file) => isSource(file) && isIn(cwd, file) && (builtin !== "any" || /\.[cm]?tsx?$/.test(file)),
      ),
    cacheKey: JSON.stringify([builtin, 4]),
    hasBaseline: true,
  };
};

const commandGate = (id: string, command: string, declared: GateDeclaration, root: string): Gate => ({
  id,
  severity: declared.severity ?? "block",
  timeoutMs: (declared.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
  check: checkCommand(command, declared.cwd),
  select: () => (declared.inputs ? listByGlobs(declared.inputs, root) : []),
  cacheKey: declared.inputs
    ? JSON.stringify(["command", command, declared.cwd ?? "", declared.inputs])
    : undefined,
  hasBaseline: true,
  ...(declared.fix === undefined ? {} : { fix: declared.fix }),
});

/** What a gate is asked for and would never do: told, not left out in silence. */
const findIdleKey = (id: string, builtin: BuiltIn | undefined, gate: GateDeclaration): string | undefined => {
  if (builtin === undefined || builtin === "types") return undefined;
  if (gate.command !== undefined)
    return `gates.${id} has a command and the built-in check ${builtin}; keep one of them`;
  const idle = builtin === "uncommitted" ? (["cwd", "inputs"] as const) : [];
  const key = idle.find((name) => gate[name] !== undefined);
  return key && `gates.${id}.${key} does nothing: ${builtin} looks at the whole work tree; take it out`;
};

/** What a gate does, in words or as its command. */
export const describeGate = (id: string, gate: GateDeclaration = {}): string => {
  const builtin = gate.builtin ?? id;
  return gate.command ?? (isBuiltIn(builtin) ? BUILT_INS[builtin].summary : "");
};

const isBuiltIn = (id: string): id is BuiltIn => Object.hasOwn(BUILT_INS, id);

/**
 * The gates of a project: the five built-in ones, changed or switched off by the config, and its own.
 * @throws AppError `config` for a gate that says neither command nor built-in check, or both; `usage` for an unknown id
 */
export const selectGates = (
  declared: Readonly<Record<string, GateDeclaration>>,
  { root, only = [] }: { root: string; only?: readonly string[] },
): Gate[] => {
  const reader = new SourceReader(root);
  const ids = [...Object.keys(BUILT_INS), ...Object.keys(declared).filter((id) => !isBuiltIn(id))];
  const unknown = only.find((id) => !ids.includes(id));
  if (unknown !== undefined) {
    const near = nearestName(unknown, ids);
    throw new AppError(
      "usage",
      `no gate ${JSON.stringify(unknown)}; ${near ? `did you mean ${near}?` : `there are: ${ids.join(", ")}`}`,
    );
  }
  return ids
    .filter((id) => (only.length > 0 ? only.includes(id) : declared[id]?.enabled !== false))
    .map((id) => {
      const gate = declared[id] ?? {};
      const builtin =
        gate.builtin ?? (isBuiltIn(id) && (gate.command === undefined || id === "types") ? id : undefined);
      const known = builtin !== undefined && isBuiltIn(builtin) ? builtin : undefined;
      const idle = findIdleKey(id, known, gate);
      if (idle !== undefined) throw new AppError("config", idle);
      if (known !== undefined) return builtInGate(id, known, gate, { root, reader });
      if (gate.command !== undefined) return commandGate(id, gate.command, gate, root);
      throw new AppError(
        "config",
        `gates.${id} checks nothing; give it a command, or builtin: ${Object.keys(BUILT_INS).join(", ")}`,
      );
    });
};
