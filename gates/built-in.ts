import type { BUILT_IN_GATES } from "../core/config/sections/gates.ts";
import type { BuiltInGate } from "./checks/built-in-gate.ts";
import { anyGate, consoleGate, todoGate } from "./checks/syntax-gates.ts";
import { typesGate } from "./checks/types.ts";
import { uncommittedGate } from "./checks/uncommitted.ts";

export type BuiltIn = (typeof BUILT_IN_GATES)[number];

/** Every gate that is built in. Order is the order of the report. */
export const BUILT_INS: Record<BuiltIn, BuiltInGate> = {
  types: typesGate,
  uncommitted: uncommittedGate,
  any: anyGate,
  todo: todoGate,
  console: consoleGate,
};
