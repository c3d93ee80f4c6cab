import type { CompileProblem } from "./errors.ts";
import type { Pattern } from "./pattern.ts";
import { findHiddenCharacter } from "./visible-text.ts";

/** Where the compiler writes down what it cannot accept; it goes on, so that everything is found at once. */
export type Problems = {
  readonly list: CompileProblem[];
  /** Names the operation in front of everything reported from here on. */
  readonly operation: string;
  /** What was found of each pattern: documents repeat theirs. */
  readonly patterns: Map<string, Pattern | string>;
};

export const createProblems = (): Problems => ({ list: [], operation: "", patterns: new Map() });

export type Refusal = Omit<CompileProblem, "operation">;

export const refuse = (problems: Problems, refusal: Refusal): void => {
  problems.list.push({ operation: problems.operation, ...refusal });
};

/** Refuses text that a model would read and a person would not see; it stands at `parent`, or there under `key`. */
export const checkVisible = (problems: Problems, text: string, parent: string, key?: string): void => {
  const hidden = findHiddenCharacter(text);
  if (hidden === undefined) return;
  refuse(problems, {
    pointer: key === undefined ? parent : `${parent}/${key}`,
    rule: "hidden-text",
    message: `the text contains ${hidden}, which a person cannot see and a model reads`,
    fix: "Remove the character",
  });
};
