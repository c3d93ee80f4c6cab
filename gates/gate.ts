import type { Confinement } from "../core/confinement.ts";

/** One problem, at a place people can go to. `line` is 0 where only the file, or nothing, is known. */
export type Finding = { file: string; line: number; message: string };

/** A problem that has no place. */
export const nowhere = (message: string): Finding => ({ file: "", line: 0, message });

export type GateSeverity = "block" | "warn";

/** Passed, failed, or no check ran: three different things. */
export type GateResult = "pass" | "fail" | "none";

/** What a check says; `reason` explains a `none`. */
export type CheckAnswer = {
  result: GateResult;
  findings: Finding[];
  reason?: string;
  /** a check that should have run and could not: it blocks like a failure */
  couldNotRun?: boolean;
  /** what the tool printed, when its findings do not say it all */
  output?: string;
};

/** One gate of a report; the first seven fields are the stable part of its JSON. */
export type GateOutcome = CheckAnswer & {
  id: string;
  severity: GateSeverity;
  durationMs: number;
  cached: boolean;
  /** findings that the baseline knows, left out of `findings` */
  known?: number;
  /** how many input files the cached answer covers */
  covers?: number;
  fix?: string;
};

/** `past` is what past conversations say about the first type error. */
export type GateReport = { verdict: GateResult; gates: GateOutcome[]; past?: string };

/** What a check may touch. */
export type CheckContext = {
  /** the project's folder */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** where commands run; on the open machine without one */
  confinement?: Confinement | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  /** files the gate is about, relative to the root */
  files: readonly string[];
};

export type Check = (context: CheckContext) => Promise<CheckAnswer>;

/** A gate ready to run: its check and everything that its cached answer hangs on. */
export type Gate = {
  id: string;
  severity: GateSeverity;
  timeoutMs: number;
  check: Check;
  /** the files it looks at, out of the project's own or by its globs */
  select: (projectFiles: readonly string[]) => readonly string[];
  /** what besides the files decides its answer; undefined: never cached */
  cacheKey: string | undefined;
  /** whether the baseline may excuse its findings */
  hasBaseline: boolean;
  fix?: string;
};

export const passed = (): CheckAnswer => ({ result: "pass", findings: [] });
export const notApplicable = (reason: string): CheckAnswer => ({ result: "none", findings: [], reason });
export const couldNotRun = (reason: string): CheckAnswer => ({
  result: "none",
  findings: [],
  reason,
  couldNotRun: true,
});
export const failed = (findings: Finding[], output?: string): CheckAnswer => ({
  result: "fail",
  findings,
  ...(output === undefined ? {} : { output }),
});

export const blocks = ({ severity, result, couldNotRun: missing }: GateOutcome): boolean =>
  severity === "block" && (result === "fail" || missing === true);

/** What all gates come to: a blocker makes it a fail; where nothing ran at all, that is a `none` and never a pass. */
export const resultOf = (gates: readonly GateOutcome[]): GateResult => {
  if (gates.some(blocks)) return "fail";
  return gates.some(({ result }) => result !== "none") ? "pass" : "none";
};
