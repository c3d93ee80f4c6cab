import type { GateDeclaration } from "../../core/config/sections/gates.ts";
import type { Gate, GateSeverity } from "../gate.ts";
import type { SourceReader } from "./syntax.ts";

/** What a built-in gate is made for. */
export type GatePlace = {
  /** the project's folder */
  root: string;
  /** one for all gates of a run */
  reader: SourceReader;
  /** the files that the config names, in place of the gate's own choice */
  chosen: (() => string[]) | undefined;
};

/** A gate that every project has; one file beside this, named in `gates/built-in.ts`. */
export type BuiltInGate = {
  severity: GateSeverity;
  /** what it finds, in words */
  summary: string;
  /** a command of the config takes the place of its own, and it is still this gate */
  takesCommand?: boolean;
  /** it looks at the whole work tree: these parts of a declaration would do nothing */
  ignores?: readonly ("cwd" | "inputs")[];
  make: (
    declared: GateDeclaration,
    place: GatePlace,
  ) => Pick<Gate, "check" | "select" | "cacheKey" | "hasBaseline">;
};
