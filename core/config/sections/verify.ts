import { Type } from "../../schema.ts";
import { flag, number, oneOf, section, text, texts, whole } from "./fields.ts";

/** `review`: another agent that looks at the work of a DONE. */
export const ReviewSection = section({
  agent: Type.String({ minLength: 1, description: "Agent id; best of another vendor than the worker's" }),
  model: text("Model, in that agent's spelling"),
  rounds: whole("Times that it may refuse the work before a person has to decide", {
    minimum: 1,
    maximum: 100,
    default: 2,
  }),
  costUsd: number("Cost limit of one review, in USD", { exclusiveMinimum: 0 }),
});

/** `verify`: how a worker's DONE is judged. */
export const VerifySection = section({
  where: oneOf(
    ["clean", "tree"],
    "Where the gates of a verdict run: a clean checkout outside of the project, or the project's own folder",
    "clean",
  ),
  prepare: text("Command that makes the checkout ready for the gates (default: by its lock files)"),
  minutes: number("Time limit of one verdict", { exclusiveMinimum: 0, maximum: 10_080, default: 30 }),
  sealed: texts("Globs of files that decide what a gate finds, besides the built-in ones"),
  newTestsMustFail: flag("New tests have to fail on the code of the base", false),
});
