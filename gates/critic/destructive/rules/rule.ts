import type { Call } from "../call.ts";
import type { DestructiveId } from "../../catalogue.ts";
import { isDry } from "../options.ts";

/** What a call would destroy; undefined when it destroys nothing. */
export type FindHarm = (call: Call) => DestructiveId | undefined;

/** Whether a call destroys something of the kind that a rule is about. */
export type DoesHarm = (call: Call) => boolean;

export const raising =
  (rule: DestructiveId, tests: readonly DoesHarm[]): FindHarm =>
  (call) =>
    tests.some((test) => test(call)) ? rule : undefined;

/** Programs by their names, and what their words say, joined by spaces, where they destroy something. */
export type LineRule = readonly [programs: string, line: RegExp];

export const byLine = (rules: readonly LineRule[]): DoesHarm => {
  const lines = new Map(
    rules.flatMap(([programs, line]) => programs.split(" ").map((program) => [program, line] as const)),
  );
  return (call) => lines.get(call.program)?.test(call.words.join(" ")) === true && !isDry(call);
};
