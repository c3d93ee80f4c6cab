import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { withoutUndefined } from "../../core/without-undefined.ts";
import { isExecutable } from "../../core/paths.ts";
import type { Confinement } from "../../core/confinement.ts";
import { runChild } from "../../core/child-process.ts";
import type { Clock } from "../../core/clock.ts";
import { AppError, isInterruption } from "../../core/errors.ts";
import { isPassing, isPassingText } from "../../core/passing-failure.ts";
import { redactSecrets } from "../../core/redaction.ts";
import type { GateOutcome } from "../../gates/gate.ts";
import type { GatesAnswer } from "../../verdict/judge-ports.ts";
import type { GateRecord } from "../state/worker-state.ts";
import { type ProjectGates, isVerified, runProjectGates } from "./project-gates.ts";

export type HealthReport = {
  record: GateRecord;
  report: string;
  name: string;
  /** each gate with what it said, for a receipt; absent where that is not known */
  runs?: GatesAnswer["runs"];
};

/** Characters of a gate report that go into a prompt. */
export const REPORT_BUDGET = 6_000;

export const HEALTH_SCRIPT = "gates/health.sh";
const ERROR_LINE =
  /\b(?:error|fail(?:ed|ure|ing)?|fatal|panic|exception|assert\w*|not ok|cannot|undefined|blocked?)\b|✗|✘|×|❌|\bTS\d{4}\b/i;

/**
 * A gate's output within a budget: lines that look like errors first (each once), then the end of the
 * output, where runners put their summaries.
 */
export const budgetReport = (output: string): string => {
  const text = output.trim();
  if (text.length <= REPORT_BUDGET) return text;
  const lines = text.split("\n").map((line) => (line.length > 400 ? `${line.slice(0, 399)}…` : line));
  const errors: string[] = [];
  let used = 0;
  for (const line of new Set(lines.filter((candidate) => ERROR_LINE.test(candidate)))) {
    if (used + line.length > REPORT_BUDGET * 0.6) break;
    errors.push(line);
    used += line.length + 1;
  }
  const tail: string[] = [];
  for (const line of lines.toReversed()) {
    if (used + line.length > REPORT_BUDGET - 120) break;
    tail.unshift(line);
    used += line.length + 1;
  }
  const cut = lines.length - tail.length;
  return [
    ...errors,
    `[… ${cut} earlier lines cut to ${REPORT_BUDGET} characters; error lines above …]`,
    ...tail,
  ].join("\n");
};

/** The line of a report that says what is wrong: the first that looks like an error, else the first at all. */
export const firstErrorLine = (report: string): string | undefined => {
  const lines = report.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => ERROR_LINE.test(line)) ?? lines[0])?.trim().slice(0, 400);
};

/** What judges a directory: its own script, else the gates that its config declares and the built-in ones. */
export const gatesName = (dir: string): string =>
  existsSync(join(dir, HEALTH_SCRIPT)) ? HEALTH_SCRIPT : "nightshift gate";

type HealthPorts = {
  clock: Pick<Clock, "now">;
  env: Readonly<Record<string, string | undefined>>;
  /** where commands run; on the open machine without one */
  confinement?: Confinement | undefined;
  signal: AbortSignal;
};
type HealthInput = {
  dir: string;
  gates: ProjectGates;
  timeoutMs: number;
  /** every gate runs, whatever is cached */
  isFresh?: boolean;
};

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Runs `gates/health.sh` of a directory, where there is one; else the gates of the project. A time limit, and
 * a gate that could not run, block. Where no gate applies no check ran, which is said and is never a pass.
 * @throws AppError `interrupted` when `signal` ended it: nothing is known then; `unavailable` when the machine
 * had no room for it
 */
export const runHealth = async (ports: HealthPorts, input: HealthInput): Promise<HealthReport> => {
  const report =
    gatesName(input.dir) === HEALTH_SCRIPT ? await runScript(ports, input) : await runInProcess(ports, input);
  if (ports.signal.aborted) throw new AppError("interrupted", "the gates were interrupted");
  return report;
};

const runScript = async (
  { clock, env, confinement, signal }: HealthPorts,
  { dir, timeoutMs }: HealthInput,
): Promise<HealthReport> => {
  const at = new Date(clock.now()).toISOString();
  const path = join(dir, HEALTH_SCRIPT);
  const result = await runChild({
    command: isExecutable(path) ? path : "sh",
    args: isExecutable(path) ? [] : [path],
    cwd: dir,
    env,
    timeoutMs,
    signal,
    confinement,
  });
  if (result.isMissing && isPassingText(result.problem ?? ""))
    throw new AppError("unavailable", result.problem ?? `${path} could not be started`);
  const output = redactSecrets(
    [result.stdout, result.stderr].filter((text) => text.trim() !== "").join("\n"),
  );
  const record: GateRecord = { verdict: result.isOk ? "healthy" : "blocked", at };
  if (result.exitCode !== undefined) record.exitCode = result.exitCode;
  if (result.isTimedOut || result.isMissing || result.isAborted)
    record.problem = result.problem ?? "did not finish";
  const run = {
    id: HEALTH_SCRIPT,
    command: HEALTH_SCRIPT,
    result: record.verdict,
    ...withoutUndefined({ exitCode: record.exitCode, problem: record.problem }),
    durationMs: Math.round(result.durationMs),
    outputDigest: digest(output),
  };
  return { record, report: budgetReport(output), name: HEALTH_SCRIPT, runs: [run] };
};

const describeRun = (
  { id, result, couldNotRun, durationMs, output = "", findings, reason }: GateOutcome,
  { declared }: ProjectGates,
): NonNullable<HealthReport["runs"]>[number] => ({
  id,
  command: declared[id]?.command ?? `nightshift gate ${id}`,
  result: result === "pass" ? "healthy" : result === "fail" || couldNotRun ? "blocked" : "none",
  ...(reason === undefined ? {} : { problem: redactSecrets(reason) }),
  durationMs,
  outputDigest: digest(redactSecrets(`${output}\n${JSON.stringify(findings)}`)),
});

const runInProcess = async (
  { clock, env, confinement, signal }: HealthPorts,
  { dir, gates, timeoutMs, isFresh = false }: HealthInput,
): Promise<HealthReport> => {
  const at = new Date(clock.now()).toISOString();
  const name = gatesName(dir);
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const ports = { env, confinement, signal: AbortSignal.any([signal, late]) };
    const { report, text } = await runProjectGates(ports, gates, { useCache: !isFresh });
    const verdict = report.verdict === "fail" ? "blocked" : isVerified(report) ? "healthy" : "none";
    const problem = late.aborted ? { problem: `was ended after ${timeoutMs} ms` } : {};
    const runs = report.gates.map((outcome) => describeRun(outcome, gates));
    return { record: { verdict, at, ...problem }, report: redactSecrets(text), name, runs };
  } catch (error) {
    if (!(error instanceof AppError) || isPassing(error) || isInterruption(error)) throw error;
    // Gates that cannot be read are the agent's to mend, or a person's; they are no pass.
    return { record: { verdict: "blocked", at, problem: error.message }, report: error.message, name };
  }
};
