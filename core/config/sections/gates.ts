import type { Static } from "../../schema.ts";
import { flag, number, oneOf, section, text, texts } from "./fields.ts";

/** The gates that every project has; what each of them is, `gates/built-in.ts` says. */
export const BUILT_IN_GATES = ["types", "uncommitted", "any", "todo", "console"] as const;

/** `gates.<id>`: one check; either a `command` or one that is built in. */
export const GateSection = section({
  command: text("Shell command; exit 0 passes"),
  builtin: oneOf(BUILT_IN_GATES, "A built-in check"),
  severity: oneOf(["block", "warn"], "`block` makes the verdict a no, `warn` is only reported"),
  timeoutSeconds: number("Time limit", { exclusiveMinimum: 0, maximum: 604_800, default: 300 }),
  inputs: texts("Globs of the files it depends on; enables its cache"),
  cwd: text("Working directory, from the config's folder"),
  fix: text("Command that repairs what it finds, run in `cwd`"),
  enabled: flag("`false` switches it off", true),
});

export type GateDeclaration = Static<typeof GateSection>;
