import { availableParallelism } from "node:os";
import { Listr, type ListrTask } from "listr2";
import { withoutUndefined } from "../core/without-undefined.ts";
import type { Confinement } from "../core/confinement.ts";
import { plural } from "../core/plural.ts";
import { errorText } from "../core/errors.ts";
import { applyBaseline, type Baseline } from "./baseline.ts";
import {
  type CheckAnswer,
  couldNotRun,
  type Gate,
  type GateOutcome,
  type GateReport,
  resultOf,
} from "./gate.ts";
import { hashInputs, readCachedAnswer, writeCachedAnswer } from "./gate-cache.ts";

export type GatePorts = {
  env: Readonly<Record<string, string | undefined>>;
  /** where the commands of gates run; on the open machine without one */
  confinement?: Confinement | undefined;
  signal: AbortSignal;
  /** milliseconds, only ever subtracted */
  elapsed: () => number;
  /** what past conversations say about an error; undefined when they say nothing */
  searchPast?: (error: string) => Promise<string | undefined>;
  /** how the pipeline shows itself */
  renderer?: "default" | "simple" | "silent";
};

export type GateRun = {
  root: string;
  projectFiles: readonly string[];
  gates: readonly Gate[];
  baseline: Baseline;
  useCache: boolean;
  /** a failing blocker ends the other gates */
  failFast: boolean;
};

const describeOutcome = ({ result, findings, cached, reason, severity }: GateOutcome): string => {
  const source = cached ? ", cached" : "";
  if (result === "pass") return `passed${source}`;
  if (result === "none") return `no check ran: ${reason ?? "unknown"}`;
  return `${severity === "block" ? "blocks" : "warns"}: ${plural(findings.length, "problem")}${source}`;
};

const runCheck = async (
  { env, confinement, signal }: GatePorts,
  { gate, root, files }: { gate: Gate; root: string; files: readonly string[] },
): Promise<CheckAnswer> => {
  try {
    return await gate.check({ root, env, confinement, files, signal, timeoutMs: gate.timeoutMs });
  } catch (error) {
    if (signal.aborted) return couldNotRun("interrupted");
    return couldNotRun(`the check itself failed: ${errorText(error)}`);
  }
};

const selectFiles = (gate: Gate, projectFiles: readonly string[]): readonly string[] | CheckAnswer => {
  try {
    return gate.select(projectFiles);
  } catch (error) {
    return couldNotRun(`its inputs cannot be listed: ${errorText(error)}`);
  }
};

/** The kept answer, or the check's own: a gate whose cache is of no use runs, and is never lost. */
const findAnswer = async (
  ports: GatePorts,
  { root, useCache, projectFiles }: GateRun,
  gate: Gate,
): Promise<{ answer: CheckAnswer; covers: number | undefined }> => {
  const files = selectFiles(gate, projectFiles);
  if ("result" in files) return { answer: files, covers: undefined };
  const hash = useCache ? hashInputs(gate, files, root) : undefined;
  const kept = hash === undefined ? undefined : readCachedAnswer({ env: ports.env, root }, gate.id, hash);
  if (kept) return { answer: kept, covers: files.length };
  const answer = await runCheck(ports, { gate, root, files });
  if (hash !== undefined) writeCachedAnswer({ env: ports.env, root }, { id: gate.id, hash, answer });
  return { answer, covers: undefined };
};

const runGate = async (ports: GatePorts, run: GateRun, gate: Gate): Promise<GateOutcome> => {
  const startedAt = ports.elapsed();
  const { answer, covers } = await findAnswer(ports, run, gate);
  const outcome: GateOutcome = {
    id: gate.id,
    severity: gate.severity,
    result: answer.result,
    durationMs: Math.round(ports.elapsed() - startedAt),
    cached: covers !== undefined,
    findings: answer.findings,
    ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    ...(answer.couldNotRun ? { couldNotRun: true } : {}),
    ...withoutUndefined({ output: answer.output, covers, fix: gate.fix }),
  };
  return gate.hasBaseline ? applyBaseline(outcome, run.baseline, run.root) : outcome;
};

/** Ended for another's sake: nothing is known of it, and nothing is held against it. */
const notJudged = (outcome: GateOutcome, blocker: string): GateOutcome => {
  const rest = { ...outcome, reason: `ended, because ${blocker} blocks already` };
  delete rest.couldNotRun;
  return rest;
};

/** The part of a type error that another conversation would also show: its code and its words, no place. */
const searchWords = (gates: readonly GateOutcome[]): string | undefined => {
  const first = gates.find(({ id, result }) => id === "types" && result === "fail")?.findings[0];
  return first === undefined || first.file === "" ? undefined : first.message.slice(0, 200);
};

/**
 * Runs gates side by side as a listr2 pipeline, each with its own time limit and its whole process tree
 * ended, and makes one report. Never rejects for what a gate does.
 */
export const runGates = async (ports: GatePorts, run: GateRun): Promise<GateReport> => {
  const outcomes = new Map<string, GateOutcome>();
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  if (ports.signal.aborted) onAbort();
  ports.signal.addEventListener("abort", onAbort, { once: true });
  let blocker: string | undefined;
  const inner: GatePorts = { ...ports, signal: stop.signal };
  const tasks = run.gates.map((gate): ListrTask => ({
    title: gate.id,
    task: async (_, task) => {
      const ended = await runGate(inner, run, gate);
      const outcome =
        blocker !== undefined &&
        ended.reason === "interrupted" &&
        inner.signal.aborted &&
        !ports.signal.aborted
          ? notJudged(ended, blocker)
          : ended;
      outcomes.set(gate.id, outcome);
      task.title = `${gate.id}: ${describeOutcome(outcome)}`;
      if (run.failFast && gate.severity === "block" && outcome.result === "fail") {
        blocker ??= gate.id;
        stop.abort();
      }
      // Only a pass has a tick.
      const isBlocked = outcome.couldNotRun === true && gate.severity === "block";
      if (outcome.result === "none" && !isBlocked) task.skip(task.title);
      else if (outcome.result !== "pass") throw new Error(task.title);
    },
  }));
  const concurrent = Math.max(2, availableParallelism());
  await new Listr(tasks, {
    concurrent,
    exitOnError: false,
    renderer: ports.renderer ?? "silent",
    collectErrors: false,
    registerSignalListeners: false,
  }).run();
  ports.signal.removeEventListener("abort", onAbort);
  const gates = run.gates.map(({ id, severity }): GateOutcome => {
    const missed = { id, severity, durationMs: 0, cached: false, ...couldNotRun("it was not reached") };
    return outcomes.get(id) ?? (blocker === undefined ? missed : notJudged(missed, blocker));
  });
  const words = searchWords(gates);
  const past = words === undefined || !ports.searchPast ? undefined : await ports.searchPast(words);
  return { verdict: resultOf(gates), gates, ...(past === undefined ? {} : { past }) };
};
