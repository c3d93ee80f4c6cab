import { type Static, Type } from "../../schema.ts";

/** The gates that every project has; what each of them is, `gates/built-in.ts` says. */
export const BUILT_IN_GATES = ["types", "uncommitted", "any", "todo", "console"] as const;

/** `gates.<id>`: one check; either a `command` or one that is built in. */
export const GateSection = Type.Object(
  {
    command: Type.Optional(Type.String({ minLength: 1, description: "Shell command; exit 0 passes" })),
    builtin: Type.Optional(
      Type.Union(
        BUILT_IN_GATES.map((name) => Type.Literal(name)),
        { description: "A built-in check" },
      ),
    ),
    severity: Type.Optional(
      Type.Union([Type.Literal("block"), Type.Literal("warn")], {
        description: "`block` makes the verdict a no, `warn` is only reported",
      }),
    ),
    timeoutSeconds: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 604_800,
        default: 300,
        description: "Time limit",
      }),
    ),
    inputs: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Globs of the files it depends on; enables its cache",
      }),
    ),
    cwd: Type.Optional(
      Type.String({ minLength: 1, description: "Working directory, from the config's folder" }),
    ),
    fix: Type.Optional(
      Type.String({ minLength: 1, description: "Command that repairs what it finds, run in `cwd`" }),
    ),
    enabled: Type.Optional(Type.Boolean({ default: true, description: "`false` switches it off" })),
  },
  { additionalProperties: false },
);

export type GateDeclaration = Static<typeof GateSection>;
