import { Type } from "../core/schema.ts";

const Globs = Type.Array(Type.String({ minLength: 1 }));

/** What a task may declare, for whoever writes it in JavaScript or does not check types. */
export const TaskSchema = Type.Object(
  {
    title: Type.String({ minLength: 1 }),
    name: Type.Optional(Type.String()),
    needs: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    lock: Type.Optional(Type.String({ minLength: 1 })),
    inputs: Type.Optional(Globs),
    outputs: Type.Optional(Globs),
    args: Type.Optional(
      Type.Record(
        Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_-]*$" }),
        Type.Object(
          {
            type: Type.Union([Type.Literal("string"), Type.Literal("number"), Type.Literal("boolean")]),
            description: Type.Optional(Type.String()),
            choices: Type.Optional(Type.Array(Type.String())),
            default: Type.Optional(Type.Unknown()),
            required: Type.Optional(Type.Boolean()),
          },
          { additionalProperties: false },
        ),
        { additionalProperties: false },
      ),
    ),
    // A timer of Node counts no further than 24 days.
    timeoutSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 604_800 })),
    retries: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
    run: Type.Function([], Type.Unknown()),
  },
  { additionalProperties: false },
);
