import type { GateDeclaration } from "../core/config/sections/gates.ts";
import type { Confinement } from "../core/confinement.ts";
import type { Git } from "../core/git.ts";
import type { Confine } from "./confine.ts";
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
  /** where commands of gates run; on the open machine without one */
  confinement: Confinement | undefined;
  timeoutMs: number;
  signal: AbortSignal;
};

export type JudgePorts = {
  env: Readonly<Record<string, string>>;
  /** in the project's folder */
  git: Git;
  clock: { now: () => number; elapsed: () => number };
  signal: AbortSignal;
  /** what holds code of the commit; without it, it runs with all rights of this process */
  confine?: Confine | undefined;
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
