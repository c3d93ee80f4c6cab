import { isInterruption } from "../../core/errors.ts";
import type { GatesInput, JudgePorts, Judged } from "../../verdict/judge-ports.ts";
import { reasonLine } from "../../verdict/describe-verdict.ts";
import type { Verdict } from "../../verdict/verdict.ts";
import { createAskReviewer } from "./ask-reviewer.ts";
import { type HealthReport, runHealth } from "./health.ts";
import { checkHealth, tellHealth } from "./prepare-session.ts";
import { ownEnv, sessionEnv } from "./session-env.ts";
import { confineWith } from "./side-sandboxes.ts";
import { type SessionInput, type SessionPorts, patience } from "./session-ports.ts";
import type { Shown } from "./show-steps.ts";
import { tryAgain } from "./try-again.ts";

/** What became of a DONE; without a commit to judge, only what the gates say. */
export type JudgedWork = { health: HealthReport | undefined; verdict: Verdict | undefined };

/** Who watches a verdict: its step, and what its reviewer has cost so far, in USD. */
type Watching = { step: Pick<Shown, "title">; onReviewSpent: (costUsd: number) => void };

/** Judges a DONE; undefined when it was cut short, which says nothing. */
export const judgeWork = async (
  ports: SessionPorts,
  input: SessionInput,
  watching: Watching,
): Promise<JudgedWork | undefined> => {
  const { log, stop } = ports;
  const { seal, state, record } = input;
  const signal = stop.overdue;
  const judged =
    seal && state.done.gates
      ? await judgeCommit(ports, { ...input, seal }, watching).catch((error: unknown) => {
          if (isInterruption(error) || signal.aborted) return "cut short" as const;
          throw error;
        })
      : undefined;
  if (judged === "cut short") {
    log.line("verdict: interrupted, stop requested");
    return undefined;
  }
  if (judged === undefined) {
    const health = await checkHealth(ports, input, { when: "after", signal });
    return health && { health, verdict: undefined };
  }
  const { verdict, answer } = judged;
  const at = verdict.at;
  const health: HealthReport | undefined = answer && {
    record: {
      verdict: answer.result,
      at,
      ...(answer.runs[0]?.exitCode === undefined ? {} : { exitCode: answer.runs[0].exitCode }),
      ...(answer.problem === undefined ? {} : { problem: answer.problem }),
    },
    report: answer.report,
    name: answer.name,
  };
  if (health) tellHealth(ports, record, { when: "after", health });
  log.line(`verdict: ${verdict.word}`);
  for (const reason of verdict.reasons) log.line(`  ${reason.weight}: ${reasonLine(reason)}`);
  log.event("verdict", { session: record.number, ...verdict });
  return { health, verdict };
};

const judgeCommit = async (
  ports: SessionPorts,
  input: SessionInput & { seal: NonNullable<SessionInput["seal"]> },
  { step, onReviewSpent }: Watching,
): Promise<Judged | undefined> => {
  const { state, gates, seal } = input;
  ports.log.event("verdict-begin", { session: input.record.number });
  const { judge } = await import("../../verdict/judge.ts"); // it is needed once in a night
  const judging: JudgePorts = {
    env: sessionEnv(ports, input),
    git: ports.git,
    clock: ports.clock,
    signal: ports.stop.overdue,
    confine: confineWith(ports.sandboxes, ownEnv(ports, input)),
    runGates: (asked) => runGatesOf(ports, asked),
    ...(ports.reviewer
      ? {
          review: {
            ask: createAskReviewer(ports, input, { ...ports.reviewer, onSpent: onReviewSpent }),
            settings: ports.reviewer.review,
            round: countReviews(state) + 1,
          },
        }
      : {}),
    onStep: (what) => (step.title = `Verdict: ${what}`),
  };
  return tryAgain(patience(ports, state, ports.stop.overdue), () =>
    judge(judging, {
      dir: state.dir,
      gatesRoot: gates.root,
      seal,
      task: state.task,
      gateTimeoutMs: state.limits.gateMinutes * 60_000,
    }),
  );
};

/** How often the reviewer has refused this work since it was last accepted. */
const countReviews = ({ sessions }: SessionInput["state"]): number =>
  sessions.filter(({ verdict }) => verdict?.reasons.some(({ kind }) => kind === "review")).length;

/** The gates of a project in the folder that a verdict names. */
export const runGatesOf = async (
  { clock }: Pick<SessionPorts, "clock">,
  { dir, root, declared, env, confinement, timeoutMs, signal }: GatesInput,
) => {
  const {
    record,
    report,
    name,
    runs = [],
  } = await runHealth(
    { clock, env, confinement, signal },
    { dir, gates: { root, declared }, timeoutMs, isFresh: true },
  );
  return {
    result: record.verdict,
    report,
    name,
    runs,
    ...(record.problem === undefined ? {} : { problem: record.problem }),
  };
};
