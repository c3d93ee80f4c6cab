import { checkCommand } from "./checks/command.ts";
import type { BuiltInGate, GatePlace } from "./checks/built-in-gate.ts";
import { SourceReader } from "./checks/syntax.ts";
import { type BuiltIn, BUILT_INS } from "./built-in.ts";
import { AppError } from "../core/errors.ts";
import { nearestName } from "../core/nearest-name.ts";
import type { GateDeclaration } from "../core/config/sections/gates.ts";
import type { Gate, GateSeverity } from "./gate.ts";
import { listByGlobs } from "../core/list-files.ts";

const TIMEOUT_SECONDS = 300;

const makeGate = (
  id: string,
  { severity, fix, timeoutSeconds = TIMEOUT_SECONDS }: GateDeclaration,
  usual: GateSeverity,
) => ({
  id,
  severity: severity ?? usual,
  timeoutMs: timeoutSeconds * 1000,
  ...(fix === undefined ? {} : { fix }),
});

const commandGate = (id: string, command: string, declared: GateDeclaration, root: string): Gate => ({
  ...makeGate(id, declared, "block"),
  check: checkCommand(command, declared.cwd),
  select: () => (declared.inputs ? listByGlobs(declared.inputs, root) : []),
  cacheKey: declared.inputs
    ? JSON.stringify(["command", command, declared.cwd ?? "", declared.inputs])
    : undefined,
  hasBaseline: true,
});

const builtInGate = (
  id: string,
  builtIn: BuiltInGate,
  declared: GateDeclaration,
  place: Omit<GatePlace, "chosen">,
): Gate => {
  const { inputs } = declared;
  const chosen = inputs && (() => listByGlobs(inputs, place.root));
  return { ...makeGate(id, declared, builtIn.severity), ...builtIn.make(declared, { ...place, chosen }) };
};

/** What a gate is asked for and would never do: told, not left out in silence. */
const findIdleKey = (id: string, builtIn: BuiltIn | undefined, gate: GateDeclaration): string | undefined => {
  if (builtIn === undefined) return undefined;
  const { takesCommand, ignores = [] } = BUILT_INS[builtIn];
  if (gate.command !== undefined && !takesCommand)
    return `gates.${id} has a command and the built-in check ${builtIn}; keep one of them`;
  const key = ignores.find((name) => gate[name] !== undefined);
  return key && `gates.${id}.${key} does nothing: ${builtIn} looks at the whole work tree; take it out`;
};

/** What a gate does, in words or as its command. */
export const describeGate = (id: string, gate: GateDeclaration = {}): string => {
  const builtin = gate.builtin ?? id;
  return gate.command ?? (isBuiltIn(builtin) ? BUILT_INS[builtin].summary : "");
};

const isBuiltIn = (id: string): id is BuiltIn => Object.hasOwn(BUILT_INS, id);

/**
 * The gates of a project: the built-in ones, changed or switched off by the config, and its own.
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
        gate.builtin ??
        (isBuiltIn(id) && (gate.command === undefined || BUILT_INS[id].takesCommand) ? id : undefined);
      const known = builtin !== undefined && isBuiltIn(builtin) ? builtin : undefined;
      const idle = findIdleKey(id, known, gate);
      if (idle !== undefined) throw new AppError("config", idle);
      if (known !== undefined) return builtInGate(id, BUILT_INS[known], gate, { root, reader });
      if (gate.command !== undefined) return commandGate(id, gate.command, gate, root);
      throw new AppError(
        "config",
        `gates.${id} checks nothing; give it a command, or builtin: ${Object.keys(BUILT_INS).join(", ")}`,
      );
    });
};
