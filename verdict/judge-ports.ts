import type { GateDeclaration } from "../core/config/sections/gates.ts";
import type { Git } from "../core/git.ts";
import type { AskReviewer, ReviewSettings } from "./reviewer/review.ts";
import type { Seal } from "./seal/seal.ts";
import type { GateRun, Verdict } from "./verdict.ts";

/** What gates said, whoever ran them. */
export type GatesAnswer = {
  result: "healthy" | "blocked" | "none";
  /** for people and for the next prompt */
  report: string;
  /** what ran: the project's script, or `nightshift gate` */
  name: string;
  problem?: string;
  runs: Omit<GateRun, "rules">[];
};

export type GatesInput = {
  /** folder in which a session works */
  dir: string;
  /** folder that the declared gates are about */
  root: string;
  declared: Readonly<Record<string, GateDeclaration>>;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
};

export type JudgePorts = {
  env: Readonly<Record<string, string>>;
  /** in the project's folder */
  git: Git;
  clock: { now: () => number; elapsed: () => number };
  signal: AbortSignal;
  runGates: (input: GatesInput) => Promise<GatesAnswer>;
  /** another agent that looks at work which no rule refuses; `round`: the how manieth time, from 1 */
  review?: { ask: AskReviewer; settings: ReviewSettings; round: number };
  /** told each step, for whoever watches */
  onStep?: (step: string) => void;
};

/** What was judged, with the gates' own words. */
export type Judged = { verdict: Verdict; answer: GatesAnswer | undefined };

export type JudgeInput = {
  /** the project's folder, and the one that its declared gates are about */
  dir: string;
  gatesRoot: string;
  seal: Seal;
  task: string;
  gateTimeoutMs: number;
  /** in place of the one that HEAD is at */
  commit?: string;
};
