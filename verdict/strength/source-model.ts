import type { StrengthKind } from "./kinds.ts";

/**
 * How much an assertion holds: 3 one exact value, 2 a part or a range of it, 1 that there is something, 0
 * nothing. `problem` says in words why it holds nothing.
 */
export type Assertion = {
  line: number;
  text: string;
  strength: 0 | 1 | 2 | 3;
  literals: string[];
  /** those that stand in it, without what its names were made of */
  direct?: string[];
  problem?: string | undefined;
  /** both sides are constants: it says nothing of the code, however it is meant */
  isConstant?: boolean;
  /** its failure is caught, or it is never reached */
  isSwallowed?: boolean;
};

export type TestCase = {
  name: string;
  line: number;
  /** without its title and layout: what was moved or renamed has the same */
  body: string;
  assertions: Assertion[];
  literals: string[];
  /** functions it calls, by the name they go by in the file */
  calls: string[];
  /** why it does not run, in words */
  off?: string | undefined;
  offLine?: number;
  isFocused?: boolean;
  timeoutMs?: number | undefined;
  retries?: number | undefined;
};

/** Something whose appearance is the finding. The same `text` on the base is not new. */
export type Mark = { kind: StrengthKind; line: number; text: string; message: string };

/** `return 3` where `1` and `2` were asked for: what a source answers to exactly these values. */
export type Answer = { line: number; asked: string[]; given: string[] };

/** A number that a source asks for exactly. */
export type Key = { line: number; value: string };

/** An example in the documentation of a source, which its runner may run as a test. */
export type Example = { line: number; text: string; isRun: boolean };

export type SourceModel = {
  language: string;
  isTest: boolean;
  tests: TestCase[];
  marks: Mark[];
  /** names that the file defines itself, with the number of assertions in each */
  defined: ReadonlyMap<string, number>;
  /** module -> names the file takes from it; a Go or Rust file has none */
  imported: ReadonlyMap<string, readonly string[]>;
  /** what is mocked: a module or a dotted name */
  mocked: { target: string; line: number }[];
  literals: string[];
  answers: Answer[];
  keys: Key[];
  examples?: Example[];
};

/** Helpers by these names check something, wherever they are defined. */
export const CHECKS_BY_NAME = /^(?:assert|expect|verify|check|should|must|require|ensure)[A-Z_]\w*$/;
