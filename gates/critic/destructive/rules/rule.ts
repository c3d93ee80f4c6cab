import type { Call } from "../call.ts";
import type { DestructiveId } from "../../catalogue.ts";
import { isDry } from "../options.ts";

/** What a call would destroy; undefined when it destroys nothing. */
export type FindHarm = (call: Call) => DestructiveId | undefined;

/** Programs by their names, and what their words say, joined by spaces, where they destroy something. */
export type LineRule = readonly [programs: string, line: RegExp];

export const findByLine = (rule: DestructiveId, rules: readonly LineRule[]): FindHarm => {
  const lines = new Map(
    rules.flatMap(([programs, line]) => programs.split(" ").map((program) => [program, line] as const)),
  );
  return (call) =>
    lines.get(call.program)?.test(call.words.join(" ")) === true && !isDry(call) ? rule : undefined;
};
