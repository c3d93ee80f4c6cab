import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { runChild } from "../../core/child-process.ts";
import type { Clock } from "../../core/clock.ts";
import { redactSecrets } from "../../core/redaction.ts";
import type { GateRecord } from "../state/worker-state.ts";

export type HealthReport = { record: GateRecord; report: string; name: string };

/** Characters of a gate report that go into a prompt. */
export const REPORT_BUDGET = 6_000;

const HEALTH_SCRIPT = "gates/health.sh";
const ERROR_LINE =
  /\b(?:error|fail(?:ed|ure|ing)?|fatal|panic|exception|assert\w*|not ok|cannot|undefined|blocked?)\b|✗|✘|×|❌|\bTS\d{4}\b/i;

/**
 * A gate's output within a budget: lines that look like errors first (each once), then the end of the
 * output, where runners put their summaries.
 */
export const budgetReport = (output: string, budget = REPORT_BUDGET): string => {
  const text = output.trim();
  if (text.length <= budget) return text;
  const lines = text.split("\n").map((line) => (line.length > 400 ? `${line.slice(0, 399)}…` : line));
  const errors: string[] = [];
  let used = 0;
  for (const line of new Set(lines.filter((candidate) => ERROR_LINE.test(candidate)))) {
    if (used + line.length > budget * 0.6) break;
    errors.push(line);
    used += line.length + 1;
  }
  const tail: string[] = [];
  for (const line of lines.toReversed()) {
    if (used + line.length > budget - 120) break;
    tail.unshift(line);
    used += line.length + 1;
  }
  const cut = lines.length - tail.length;
  return [
    ...errors,
    `[… ${cut} earlier lines cut to ${budget} characters; error lines above …]`,
    ...tail,
  ].join("\n");
};

/** The line of a report that says what is wrong: the first that looks like an error, else the first at all. */
export const firstErrorLine = (report: string): string | undefined => {
  const lines = report.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => ERROR_LINE.test(line)) ?? lines[0])?.trim().slice(0, 400);
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Whether the directory has a health script of its own. */
export const hasHealthScript = (dir: string): boolean => existsSync(join(dir, HEALTH_SCRIPT));

/**
 * Runs `gates/health.sh` of a directory: exit 0 is healthy, anything else (a timeout too) blocks. Without
 * the script no check ran, which is said and is never a pass.
 */
export const runHealth = async (
  {
    clock,
    env,
    signal,
  }: { clock: Clock; env: Readonly<Record<string, string | undefined>>; signal?: AbortSignal },
  { dir, timeoutMs }: { dir: string; timeoutMs: number },
): Promise<HealthReport> => {
  const at = new Date(clock.now()).toISOString();
  const path = join(dir, HEALTH_SCRIPT);
  if (!existsSync(path)) return { record: { verdict: "none", at }, report: "", name: HEALTH_SCRIPT };
  const result = await runChild({
    command: isExecutable(path) ? path : "sh",
    args: isExecutable(path) ? [] : [path],
    cwd: dir,
    env,
    timeoutMs,
    ...(signal ? { signal } : {}),
  });
  const output = redactSecrets(
    [result.stdout, result.stderr].filter((text) => text.trim() !== "").join("\n"),
  );
  const record: GateRecord = { verdict: result.isOk ? "healthy" : "blocked", at };
  if (result.exitCode !== undefined) record.exitCode = result.exitCode;
  if (result.isTimedOut || result.isMissing || result.isAborted)
    record.problem = result.problem ?? "did not finish";
  return { record, report: budgetReport(output), name: HEALTH_SCRIPT };
};
