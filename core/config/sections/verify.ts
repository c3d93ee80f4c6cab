import { Type } from "../../schema.ts";

/** `review`: another agent that looks at the work of a DONE. */
export const ReviewSection = Type.Object(
  {
    agent: Type.String({ minLength: 1, description: "Agent id; best of another vendor than the worker's" }),
    model: Type.Optional(Type.String({ minLength: 1, description: "Model, in that agent's spelling" })),
    rounds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 2,
        description: "Times that it may refuse the work before a person has to decide",
      }),
    ),
    costUsd: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: "Cost limit of one review, in USD" }),
    ),
  },
  { additionalProperties: false },
);

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
        description: "Time limit of one verdict",
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
