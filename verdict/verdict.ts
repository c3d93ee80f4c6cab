import type { Review } from "./reviewer/review-record.ts";

/** How a claim that the work is done was judged, in one word. */
export type VerdictWord = "complete" | "refused" | "unverified";

/**
 * One thing that speaks against `complete`. `refused`: the worker has to mend it. `undecided`: no rule can tell,
 * so a person has to.
 */
export type Reason = {
  kind: string;
  weight: "refused" | "undecided";
  file?: string;
  /** 0 or absent where only the file, or nothing, is known */
  line?: number;
  message: string;
  /** what changed, as a diff; or what the gates said */
  diff?: string;
};

/** Which rules a gate ran by: the commit's own, the tests of the base, or the gates of the base. */
export type GateRules = "head" | "base tests" | "base gates";

/** One run of one gate for a verdict. */
export type GateRun = {
  id: string;
  rules: GateRules;
  /** what was run, as it would be typed */
  command: string;
  result: "healthy" | "blocked" | "none";
  exitCode?: number;
  problem?: string;
  durationMs: number;
  /** SHA-256 of its whole output, redacted */
  outputDigest: string;
};

/** A commit with its tree. */
export type JudgedCommit = { commit: string; tree: string };

/** What the rule file of a verdict says about the session's change of one sealed file. */
export type SealedChange = {
  path: string;
  change: "added" | "changed" | "removed";
  /** the rule that seals it, in words */
  rule: string;
  /** `mayChange` of the config as it stood at the start names it */
  isAllowed: boolean;
  /** the task names it: a person has to say whether this change was meant */
  isNamed: boolean;
};

/** The tests of both sides: of the base, and of the judged commit with the base's own test files. */
export type TestFacts = {
  runners: string[];
  base: { passed: number; failed: number; skipped: number };
  head: { passed: number; failed: number; skipped: number };
  /** passed on the base, and no longer do */
  broken: string[];
  /** new ones that pass on the base's code, too */
  provingNothing: string[];
};

/** Everything that a verdict found out; the receipt is made of it. */
export type Verdict = {
  word: VerdictWord;
  reasons: Reason[];
  /** said of it, speaking neither for nor against it */
  remarks: string[];
  where: "clean" | "tree";
  /** what held the code of the commit while it was judged; `none`: nothing */
  sandbox: string;
  at: string;
  durationMs: number;
  base?: JudgedCommit;
  head?: JudgedCommit;
  branch?: string;
  gates: GateRun[];
  /** undefined where no known test runner is used */
  tests?: TestFacts;
  /** undefined where no reviewer was asked */
  review?: Review;
  sealed: { path: string; digest: string }[];
  changes: SealedChange[];
};
