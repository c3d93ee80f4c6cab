import { Type } from "../../schema.ts";

/** `verify`: how a worker's DONE is judged. */
export const VerifySection = Type.Object(
  {
    where: Type.Optional(
      Type.Union([Type.Literal("clean"), Type.Literal("tree")], {
        default: "clean",
        description:
          "Where the gates of a verdict run: a clean checkout outside of the project, or the project's own folder",
      }),
    ),
    prepare: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Command that makes the checkout ready for the gates (default: by its lock files)",
      }),
    ),
    minutes: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 10_080,
        default: 30,
        description: "Longest time one verdict may take",
      }),
    ),
    sealed: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Globs of files that decide what a gate finds, besides the built-in ones",
      }),
    ),
    newTestsMustFail: Type.Optional(
      Type.Boolean({ default: false, description: "New tests have to fail on the code of the base" }),
    ),
  },
  { additionalProperties: false },
);
